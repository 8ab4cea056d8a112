# The lines of docs/formats.md that read weights, log and results in Python print what bitter has written.
import csv
import io
import os
import re
import statistics
from contextlib import redirect_stdout

from common import *

docs = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "formats.md")
code = open(docs, encoding="utf-8").read().split("\n## In Python\n")[1]
code = "\n".join(line[4:] for line in code.split("\n") if line.startswith("    ") or not line)
check("the guide has about ten lines of Python", 8 <= sum(bool(line) for line in code.split("\n")) <= 12)

os.chdir(scratch)
small = ["--layers", 1, "--heads", 2, "--width", 16, "--context", 16, "--batch", 2, "--threads", 1, "--data",
         "builtin:tales:bytes=20000"]
bitter("train", *small, "--steps", 20, "--eval-every", 10, "--eval-tokens", 500, "--out", "runs/look")
bitter("compare", "rope", "alibi", *small, "--steps", 5, "--seeds", 2, "--eval-tokens", 2000, "--out", "runs/compare")
printed = io.StringIO()
with redirect_stdout(printed):
    exec(code, {})
printed = printed.getvalue()

parameters = re.search(r'"parameters": (\d+)', open("runs/look/config.json").read())[1]
check("weights", f"(48, 16) {parameters}\n" in printed)
rows = [row for row in csv.DictReader(open("runs/look/log.csv")) if row["val_loss"]]
for row in rows:
    line = next(line for line in printed.split("\n") if line.startswith(row["step"] + " "))
    near = [abs(float(a) - float(row[name])) < 1e-4 for a, name in zip(line.split()[1:], ("train_loss", "val_loss"))]
    check(f"log.csv: step {row['step']}", near == [True, True])
check("log.csv: two validations", len(rows) == 2)
results = [row for row in csv.DictReader(open("runs/compare/results.csv")) if row["quantity"] == "loss"]
for scheme in "rope", "alibi":
    values = [float(row["value"]) for row in results if row["scheme"] == scheme and row["x"] == "16"]
    line = next(line for line in printed.split("\n") if re.search(rf"\b{scheme} +16 ", line))
    check(f"results.csv: {scheme}", abs(float(line.split()[-2]) - statistics.mean(values)) < 1e-4 and len(values) == 2)
finish()
