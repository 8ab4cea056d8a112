# SPDX-License-Identifier: MIT
"""Recompute the results that docs/compare.md quotes, with numpy and scipy: python3 scripts/check_quoted.py

quoted.csv has a row for each: the part of runs/baseline, the difference, at which setting (or "A > B", the change from A to
B), which intervals hold at once with it (those of the contrasts that were named, of all pairs, or of the changes), and
the words that are quoted. These must stand in docs/compare.md, and results.csv must give the same numbers to the last
digit. quoted_ladder.csv has what README.md and the docs quote from the ladder's factors.csv and changes.csv: the page, the
file, size and scheme of a row, its columns (-gap: with the other sign), and the words. Ends with a line "N numbers agree, N do not".
"""

import csv
import os
import re
import sys

from check_report import NUMBER, Report, median_interval

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def recompute(report, row):
    """Median, low and high of the row's difference."""
    arm, other = row["contrast"].split(" - ")
    if row["family"] == "changes":
        before, after = (report.gaps(setting, arm, other) for setting in row["at"].split(" > "))
        return median_interval(after - before, report.changes())
    pairs = len(report.schemes) * (len(report.schemes) - 1) // 2
    named = [family for a, b, family in report.contrasts if {a, b} == {arm, other}]
    return median_interval(report.gaps(row["at"], arm, other), pairs if row["family"] == "pairs" else named[0])


def page(name):
    """The text of a page, with single spaces."""
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return " ".join(file.read().split())


def rows(name):
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_ladder(report):
    """Check what is quoted from the ladder; `report` counts."""
    for quoted in rows("scripts/quoted_ladder.csv"):
        what = f"{quoted['page']}, {quoted['scheme']} at {quoted['size']}"
        if quoted["quoted"] not in page(quoted["page"]):
            report.missing(f"'{quoted['quoted']}' ({what})")
        row, = (row for row in rows(os.path.join("runs/baseline/ladder", quoted["file"]))
                if row["scheme"] == quoted["scheme"] and quoted["size"] in (row.get("size"), row.get("to")))
        columns, printed = quoted["columns"].split(), re.findall(NUMBER, quoted["quoted"])
        if len(columns) != len(printed):
            report.missing(f"a column for each number of '{quoted['quoted']}' ({what})")
        for column, text in zip(columns, printed):
            report.check(what, -float(row[column[1:]]) if column[0] == "-" else float(row[column]), text)


def main():
    compare = page("docs/compare.md")
    agree = differ = 0
    for row in rows("scripts/quoted.csv"):
        report = Report(os.path.join(root, "runs/baseline", row["part"]))
        what = f"{row['contrast']} {row['at']}".strip()
        if row["quoted"] not in compare:
            report.missing(f"'{row['quoted']}' ({what})")
        printed = re.findall(NUMBER, row["quoted"])
        values = recompute(report, row)
        for value, text in zip(values[1:] if len(printed) == 2 else values, printed):
            report.check(what, value, text)
        agree, differ = agree + report.agree, differ + report.differ
    ladder = Report(os.path.join(root, "runs/baseline/ladder/468k-20"))
    check_ladder(ladder)
    agree, differ = agree + ladder.agree, differ + ladder.differ
    print(f"{agree} numbers agree, {differ} do not")
    return 0 if agree > 0 and differ == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
