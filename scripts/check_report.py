# SPDX-License-Identifier: MIT
"""Recompute the numbers of a comparison's report from its results.csv, with numpy and scipy:

    python3 scripts/check_report.py DIR...

DIR holds compare.json, results.csv, report.md and report.tex, as `bitter compare` leaves them. Every loss, every named
difference (in each setting, over the texts if there are several, and in longer windows) with its simultaneous interval
and its verdict, and every change from one setting to the next is computed again; it must agree with the report to the last printed
digit. Ends with a line "N numbers agree, N do not".
"""

import csv
import json
import os
import re
import sys

try:
    import numpy as np
    from scipy import stats
except ImportError as missing:
    sys.exit(f"{os.path.basename(sys.argv[0])}: this python3 has no {missing.name}; `python3 -m pip install numpy scipy` gets it")

NUMBER = r"[+-]?\d+(?:\.\d+)?"


def median_interval(units, comparisons):
    """The median of paired differences (..., n), and the ends of the interval for it (lab/stats/paired.h)."""
    x, n, level = np.sort(units, -1), np.shape(units)[-1], 1 - 0.05 / comparisons
    x, middle = np.moveaxis(x, -1, 0), np.median(x, -1)
    levels = {k: 1 - 2 * stats.binom.cdf(k - 1, n, 0.5) for k in range(n // 2 + 2)}
    k = max(k for k in range(n // 2 + 1) if levels[k] >= level)
    if k > 0:
        above = (levels[k] - level) / (levels[k] - levels[k + 1])
        share = (n - k) * above / (k + (n - 2 * k) * above)
        return middle, x[k - 1] + share * (x[k] - x[k - 1]), x[n - k] - share * (x[n - k] - x[n - k - 1])
    if n < 2:
        return middle, np.nan, np.nan
    half = stats.t.ppf(1 - 0.025 / comparisons, n - 1) * x.std(0, ddof=1) / np.sqrt(n)
    return middle, np.minimum(x.mean(0) - half, x[0]), np.maximum(x.mean(0) + half, x[-1])


class Tally:
    """How many printed numbers of a file or directory agree."""

    def __init__(self, place):
        self.place = place
        self.agree = self.differ = 0

    def check(self, what, value, printed):
        """Does the printed number have the value's digits?"""
        printed = printed.replace("\N{MINUS SIGN}", "-")
        digits = len(printed.split(".")[1]) if "." in printed else 0
        if abs(value - float(printed)) <= 0.5000001 * 10.0**-digits:
            self.agree += 1
        else:
            self.differ += 1
            print(f"{self.place}: {what}: the report has {printed}, here it is {value:.{digits + 2}f}")

    def missing(self, what):
        self.differ += 1
        print(f"{self.place}: {what} is not in the report")


class Report(Tally):
    def __init__(self, directory):
        super().__init__(directory)
        self.directory = directory
        with open(os.path.join(directory, "compare.json"), encoding="utf-8") as file:
            self.plan = json.load(file)
        self.losses = {}  # (setting, scheme) -> {seed: loss}
        self.longer = {}  # (setting, scheme, 2, 4 or 8) -> {seed: loss} in windows of 2, 4 or 8 times the context
        self.context = context = {s["name"]: s["context"] for s in self.plan["settings"]}
        with open(os.path.join(directory, "results.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["quantity"] != "loss" or row["task"] or row["chosen"] != "1":
                    continue
                times = float(row["x"]) / context[row["setting"]]
                if times in (2, 4, 8):
                    self.longer.setdefault((row["setting"], row["scheme"], int(times)), {})[int(row["seed"])] = float(row["value"])
                if times == 1:
                    self.losses.setdefault((row["setting"], row["scheme"]), {})[int(row["seed"])] = float(row["value"])
        self.settings = [s["name"] for s in self.plan["settings"]]
        seeds = max((len(found) for found in self.losses.values()), default=0)
        self.schemes = [s["name"] for s in self.plan["schemes"]  # except those with a run that diverged
                        if seeds and all(len(self.losses.get((setting, s["name"]), ())) == seeds for setting in self.settings)]
        weights = [tuple(s.get(key) for key in ("pos", "window", "learning_rate")) for s in self.plan["schemes"]]
        first = {}  # the scheme whose weights the stretched ones share: the unstretched one, or the first stretched one
        for w, s in sorted(zip(weights, self.plan["schemes"]), key=lambda pair: bool(pair[1].get("stretch"))):
            first.setdefault(w, s["name"])
        self.trained_as = {s["name"]: first[w] if s.get("stretch") else s["name"] for w, s in zip(weights, self.plan["schemes"])}
        trained = len(set(self.trained_as.values()))
        named = [c for c in self.plan["contrasts"] if c["arm"] in self.schemes and c["other"] in self.schemes]
        primary = sum(c["after"] == 0 for c in self.plan["contrasts"])
        texts = len(self.plan["texts"])
        self.places = len(self.settings) // texts if texts > 1 else 0  # over the texts, one for each kind of setting
        trained = max(trained, self.plan.get("most_schemes", 0))  # in an earlier plan there may have been more
        family, pairs = primary * (len(self.settings) + self.places), max(trained * (trained - 1) // 2, 1)
        self.pairs = pairs
        # Earlier versions wrote means with Student's t intervals; not all of their reports can be written again.
        self.medians_told = "| by loss |" in self.read("report.md")
        self.contrasts = [(c["arm"], c["other"], family if c["after"] == 0 else pairs) for c in named]

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read()

    def gaps(self, setting, arm, other):
        """The differences of a contrast, one for each seed."""
        a, b = self.losses[setting, arm], self.losses[setting, other]
        return np.array([a[seed] - b[seed] for seed in sorted(a)])

    def interval(self, units, comparisons):
        """The difference and the ends of the interval as this report has them."""
        if self.medians_told:
            return median_interval(units, comparisons)
        half = stats.t.ppf(1 - 0.025 / comparisons, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
        return units.mean(), units.mean() - half, units.mean() + half

    def medians(self, arm, other, place):
        """The medians over the seeds (in earlier reports the means), one for each text."""
        middle = np.median if self.medians_told else np.mean
        return np.array([middle(self.gaps(setting, arm, other)) for setting in self.settings[place::self.places]])

    def check_losses(self):
        table = self.read("report.tex").split("mean and standard deviation ", 1)[1].split("\nscheme ", 1)[1].split("\\end{tabular}")[0]
        for scheme in self.schemes:
            line = next((x for x in table.splitlines() if x.startswith(scheme.replace("_", "\\_") + " &")), None)
            if line is None:
                self.missing(f"the loss of {scheme}")
                continue
            for setting, cell in zip(self.settings, line.split("&")[1:]):
                seeds = np.array(list(self.losses[setting, scheme].values()))
                mean, *sd = re.findall(NUMBER, cell)[:min(2, len(seeds))]  # one seed has no deviation
                self.check(f"loss of {scheme} {setting}", seeds.mean(), mean)
                if len(seeds) > 1:
                    self.check(f"standard deviation of {scheme} {setting}", seeds.std(ddof=1), *sd)

    def tables(self, column):
        """The tables of report.md with such a column, each a list of rows as dictionaries by heading."""
        tables, head = [], None
        for line in self.read("report.md").splitlines() + [""]:
            cells = [c.strip().replace("\\", "") for c in line.strip("|").split("|")] if line.startswith("|") else None
            if cells and head is None and column in cells:
                head = cells
                tables.append([])
            elif cells and head and not set(line) <= set("|-: "):
                tables[-1].append(dict(zip(head, cells)))
            elif not cells:
                head = None
        return tables

    def rows(self, column="contrast"):
        """The rows of the first such table; none without one."""
        return next(iter(self.tables(column)), [])

    def of_contrast(self, arm, other, over_texts=False):
        """Its rows, one for each setting, or for each kind of setting over the texts, in their order."""
        return [r for r in self.rows() if r["contrast"] == f"{arm} - {other}" and
                over_texts == (r.get("setting", "").startswith("over the texts"))]

    @staticmethod
    def verdict(values):
        _, low, high = values
        return "one seed" if low != low else "better" if high < 0 else "worse" if low > 0 else "not resolved"

    def check_row(self, what, values, row):
        mean, low, high = values
        one_seed = row["low"] == row["high"] == "-" and low != low
        for name, value in zip(("difference", "low", "high")[:1 if one_seed else 3], values):
            self.check(f"{what}, {name}", value, row[name])
        self.check_verdict(what, values, row)

    def check_verdict(self, what, values, row):
        verdict = self.verdict(values)
        if row["verdict"].startswith(verdict):
            self.agree += 1
        else:
            self.differ += 1
            print(f"{self.directory}: {what}: the report says {row['verdict']}, here it is {verdict}")

    def check_contrasts(self):
        for arm, other, family in self.contrasts:
            rows, over_texts = self.of_contrast(arm, other), self.of_contrast(arm, other, True)
            if len(rows) != len(self.settings) or len(over_texts) != self.places:
                self.missing(f"{arm} - {other} in all settings")
                continue
            for setting, row in zip(self.settings, rows):
                values = self.interval(self.gaps(setting, arm, other), family)
                self.check_row(f"{arm} - {other} {setting}", values, row)
            for place, row in enumerate(over_texts):
                values = self.interval(self.medians(arm, other, place), family)
                self.check_row(f"{arm} - {other} over the texts", values, row)

    def check_ranking(self):
        """The first table: schemes by their loss, each with its difference to the reference, alone and together."""
        for all_rows in self.tables("by loss") if self.medians_told else []:
            table = [row for row in all_rows if row["loss"] != "diverged"]
            setting = min(self.settings, key=lambda s: sum(
                abs(np.median(list(self.losses[s, r["by loss"]].values())) - float(r["loss"])) for r in table))
            reference = next(r["by loss"] for r in all_rows if r["verdict"] == "reference")
            minus = next(name for name in all_rows[0] if name.startswith("minus "))
            losses = []
            for row in table:
                losses.append(np.median(list(self.losses[setting, row["by loss"]].values())))
                self.check(f"median loss of {row['by loss']} {setting}", losses[-1], row["loss"])
                if row["verdict"] in ("reference", "the same weights") or reference not in self.schemes:
                    continue
                family = next((m for a, b, m in self.contrasts if {a, b} == {self.trained_as[row["by loss"]], reference}), self.pairs)
                gaps = self.gaps(setting, row["by loss"], reference)
                for name, m in (("95% alone", 1), ("95% together", family)):
                    ends = re.findall(NUMBER, row[name])
                    values = median_interval(gaps, m)
                    for value, text in zip(values, [row[minus]] + ends if len(ends) == 2 else [row[minus]]):
                        self.check(f"{row['by loss']} - {reference} {setting}, {name}", value, text)
                self.check_verdict(f"{row['by loss']} - {reference} {setting}", median_interval(gaps, family), row)
            if losses != sorted(losses):
                self.missing(f"the order of losses {setting}")

    def longer_pairs(self):
        """What is compared in longer windows: contrasts, all minus the reference, stretched schemes minus their own weights."""
        named, schemes = [(a, b) for a, b, _ in self.contrasts], self.plan["schemes"]
        reference = schemes[self.plan.get("reference", 0)]["name"]  # whether or not it diverged
        pairs = list(named)
        for s in schemes:
            a = s["name"]
            others = {reference, self.trained_as[a]} if s.get("stretch") and a != reference else {reference}
            pairs += [(a, b) for b in others - {a} if (a, b) not in named and (b, a) not in named]
        return pairs

    def check_longer(self):
        """Differences in longer windows; all that exist are one family."""
        tables, units = self.tables("longer windows"), {}  # (contrast, window) -> one array for each setting that has it
        for setting in self.settings:
            for arm, other in self.longer_pairs():
                for times in (2, 4, 8):
                    a, b = (self.longer.get((setting, scheme, times), {}) for scheme in (arm, other))
                    if a and set(a) == set(b) == set(self.losses[setting, self.schemes[0]]):
                        window = str(times * self.context[setting])
                        units.setdefault((f"{arm} - {other}", window), []).append(np.array([a[seed] - b[seed] for seed in sorted(a)]))
        family = sum(len(x) for x in units.values())
        if tables and len(tables[0]) != family:
            self.missing(f"a table of {family} differences in longer windows")
        for row in tables[0] if tables else []:  # reports of earlier versions have no such table
            what = row["longer windows"], row["tokens"]
            gaps = units[what].pop(0)
            for name, m in (("95% alone", 1), ("95% together", family)):
                values = median_interval(gaps, m)
                low, _, high = row[name].partition(" to ")
                self.check_row(f"{' '.join(what)}, {name}", values, {
                    "difference": row["difference"], "low": low, "high": high or low,
                    "verdict": row["verdict"] if m == family else self.verdict(values)})

    def changes(self):
        """How many of them hold at once: from each setting to the next, and from the first to the last."""
        return len(self.plan["contrasts"]) * (len(self.settings) if len(self.settings) > 2 else 1)

    def printed_changes(self):
        """Contrast, first and second setting, change, low and high."""
        for row in self.rows("change"):
            if row["low"] != "-":
                yield tuple(row[name] for name in ("contrast", "from", "to", "change", "low", "high"))

    def check_changes(self):
        family = self.changes()
        for name, first, second, *printed in self.printed_changes():
            arm, other = name.split(" - ")
            settings = {row["setting"]: s for row, s in zip(self.of_contrast(arm, other), self.settings)}
            before, after = (self.gaps(settings[s], arm, other) for s in (first, second))
            for value, text in zip(self.interval(after - before, family), printed):
                self.check(f"{name} from {first} to {second}", value, text)


def main():
    agree = differ = 0
    for directory in sys.argv[1:]:
        try:
            report = Report(directory)
        except OSError as error:
            sys.exit(f"check_report.py: {directory} is no comparison with a report: {error}")
        report.check_losses()
        report.check_ranking()
        report.check_contrasts()
        report.check_longer()
        report.check_changes()
        agree, differ = agree + report.agree, differ + report.differ
    print(f"{agree} numbers agree, {differ} do not")
    return 0 if agree > 0 and differ == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
