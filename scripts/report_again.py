# SPDX-License-Identifier: MIT
"""Write recorded reports again, from their results.csv, without their runs:

    python3 scripts/report_again.py BITTER runs/baseline/experiment-full/tokens ...

Each run gets the measured.csv that its rows came from, in a temporary directory; `bitter report` and keep_report.sh do
the rest. Refuses reports of formats that bitter no longer reads. What heads attend to needs the weights, and is left out.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile


def run_name(row, plan):
    """The directory of a run (plan_job_name in lab/compare/plan.c); recorded comparisons have no stretched schemes."""
    front, rate = row["task"].removeprefix("builtin:") or row["setting"], float(row["learning_rate"])
    name = f"{front}-" * bool(front) + row["scheme"] + f"-lr{rate:g}" * (rate != plan["options"]["lr"]) + f"-seed{row['seed']}"
    return name.translate(str.maketrans("*@ ", "x~_"))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bitter, *directories = sys.argv[1:]
    keep = os.path.join(os.path.dirname(os.path.abspath(__file__)), "keep_report.sh")
    for directory in directories:
        measured = {}
        with open(os.path.join(directory, "compare.json"), encoding="utf-8") as file:
            plan = json.load(file)
        with open(os.path.join(directory, "results.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                rows = measured.setdefault(run_name(row, plan), ["quantity,x,value,count"])
                rows.append(",".join(row[name] for name in ("quantity", "x", "value", "count")))
        with tempfile.TemporaryDirectory() as again:
            shutil.copy(os.path.join(directory, "compare.json"), again)
            for name, rows in measured.items():
                os.makedirs(os.path.join(again, "runs", name))
                with open(os.path.join(again, "runs", name, "measured.csv"), "w", encoding="utf-8") as file:
                    file.write("\n".join(rows) + "\n")
            subprocess.run([bitter, "report", again], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(["sh", keep, again, directory], check=True)


if __name__ == "__main__":
    main()
