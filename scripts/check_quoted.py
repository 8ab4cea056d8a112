# SPDX-License-Identifier: MIT
"""Recompute the results that docs/compare.md quotes, with numpy and scipy: python3 scripts/check_quoted.py

quoted.csv has a row for each: the part of runs/baseline, the difference, at which setting (or "A > B", the change from A to
B), which intervals hold at once with it (those of the contrasts that were named, of all pairs, or of the changes), and
the words that are quoted. These must stand in docs/compare.md, and results.csv must give the same numbers to the last
digit. quoted_ladder.csv has what README.md and the docs quote from the tables that ladder.py writes: the page, the file,
size (of changes "A > B") and scheme (of rates "A - B") of a row, its columns (-gap: with the other sign), and the words.
Ends with a line "N numbers agree, N do not".
"""

import csv
import os
import re
import sys

from check_report import NUMBER, Report, Tally, median_interval

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


def quoted_of_compare():
    """A report, what is quoted of it, on which page, in which words, and the values of their numbers."""
    for row in rows("scripts/quoted.csv"):
        report = Report(os.path.join(root, "runs/baseline", row["part"]))
        values = recompute(report, row)
        only_interval = len(re.findall(NUMBER, row["quoted"])) == 2
        yield report, f"{row['contrast']} {row['at']}".strip(), "docs/compare.md", row["quoted"], values[1:] if only_interval else values


def quoted_of_ladder():
    """The same of the ladder, from what ladder.py has written."""
    for quoted in rows("scripts/quoted_ladder.csv"):
        table = os.path.join("runs/baseline/ladder", quoted["file"])
        row, = (row for row in rows(table)
                if row["scheme"] == quoted["scheme"] and quoted["size"] == (row.get("size") or f"{row['from']} > {row['to']}"))
        values = [-float(row[name[1:]]) if name[0] == "-" else float(row[name]) for name in quoted["columns"].split()]
        yield Tally(table), f"{quoted['scheme']} at {quoted['size']}", quoted["page"], quoted["quoted"], values


def main():
    agree = differ = 0
    for report, what, name, words, values in (*quoted_of_compare(), *quoted_of_ladder()):
        printed = re.findall(NUMBER, words)
        if words not in page(name):
            report.missing(f"'{words}' ({what}, {name})")
        if len(printed) != len(values):
            report.missing(f"a value for each number of '{words}' ({what}, {name})")
        for value, text in zip(values, printed):
            report.check(what, value, text)
        agree, differ = agree + report.agree, differ + report.differ
    print(f"{agree} numbers agree, {differ} do not")
    return 0 if agree > 0 and differ == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
