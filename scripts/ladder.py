#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The answer of the ladder: python3 scripts/ladder.py [DIR]

DIR (runs/baseline/ladder) has a directory for each finished part, SIZE-TOKENS, as scripts/ladder.sh records them. Writes
factors.csv (how many times RoPE's tokens each scheme needs, at each size), changes.csv (how that changes with compute),
answer.md (both as tables, and the sentences that follow) and ladder.svg. docs/ladder.md says how it is judged.
Needs `pip install numpy scipy matplotlib`.
"""
import csv
import math
import os
import re
import sys

from check_report import Report, median_interval  # says where to get numpy and scipy
from plot import COLOURS, plt, save
import numpy as np

BUDGETS = (2.5, 5, 10, 20, 40)  # RoPE's, in tokens for each parameter; the other schemes have 20
PRIMARY = ("learned", "random", "t5")
MOST, LEAST = math.log(20 / BUDGETS[0]), math.log(20 / BUDGETS[-1])
TOLD = {"random": "random rotations"}


def part(directory, size, tokens):
    return os.path.join(directory, f"{size}-{tokens:g}")


def operations(report):
    """Of a run with 20 tokens for each parameter: 6 for each parameter and token, and attention's, of which a half is masked."""
    model = report.plan["settings"][0]
    return 20 * model["parameters"] * 6 * (model["parameters"] + model["layers"] * model["width"] * model["context"])


def losses(report):
    """scheme -> {seed: loss} of a part's only setting."""
    return {scheme: seeds for (_, scheme), seeds in report.losses.items()}


def log_factor(loss, scale):
    """How many times RoPE's tokens this loss took, as a logarithm; scale has RoPE's losses at BUDGETS."""
    if loss > scale[0]:
        return math.inf
    for (few, before), (many, after) in zip(zip(BUDGETS, scale), zip(BUDGETS[1:], scale[1:])):
        if after <= loss:  # reached between these two, or at the second
            share = (before - loss) / (before - after)
            return math.log(20 / few) - share * math.log(many / few)
    return -math.inf


def interval(values, comparisons):
    """As median_interval; an end that would be read between a number and "more than" or "less than" is the latter."""
    values = np.sort(values)
    told = np.clip(values, LEAST - 1, MOST + 1)
    middle, low, high = median_interval(told, comparisons)
    low = -math.inf if low < LEAST else low
    high = math.inf if high > MOST else high
    return (math.inf if middle > MOST else -math.inf if middle < LEAST else middle), low, high


def factors(directory, size):
    """A row for each scheme at this size, the best loss first."""
    report = Report(part(directory, size, 20))
    found = losses(report)
    again = part(directory, size, 20) + "-ends"  # schemes whose grid of rates had ended too soon
    if os.path.exists(os.path.join(again, "results.csv")):
        found.update(losses(Report(again)))
    scale = {}
    for tokens in BUDGETS:
        for seed, loss in losses(Report(part(directory, size, tokens)))["rope"].items():
            scale.setdefault(seed, []).append(loss)
    none, rope = found["none"], found["rope"]
    rows = []
    for scheme, of_seed in found.items():
        logs = np.array([log_factor(of_seed[seed], scale[seed]) for seed in sorted(of_seed)])
        gap = median_interval(np.array([of_seed[seed] - rope[seed] for seed in sorted(of_seed)]), 1)
        control = median_interval(np.array([of_seed[seed] - none[seed] for seed in sorted(of_seed)]), len(found) - 1)
        family = len(PRIMARY) if scheme in PRIMARY and len(of_seed) >= 6 else 1
        rows.append({"size": size, "operations": operations(report), "scheme": scheme, "seeds": len(logs), "family": family,
                     "loss": float(np.median(list(of_seed.values()))), "band": (min(of_seed.values()), max(of_seed.values())), "gap": gap, "beats none": control[2] < 0,
                     "logs": logs, "factor": interval(logs, family)})
    return sorted(rows, key=lambda row: row["loss"])


def finished(directory):
    """The sizes that have all of RoPE's budgets; english and block, which have another text and another block, are no rungs."""
    sizes = [name.removesuffix("-20") for name in os.listdir(directory) if re.fullmatch(r"\d+k-20", name)]
    return [size for size in sizes if all(os.path.exists(os.path.join(part(directory, size, tokens), "results.csv")) for tokens in BUDGETS)]


def changes(first, last):
    """For each scheme at both sizes: the change of its factor's logarithm for each decade of operations."""
    decades = math.log10(last[0]["operations"] / first[0]["operations"])
    for row in last:
        before = next((r for r in first if r["scheme"] == row["scheme"]), None)
        if before and row["scheme"] not in ("rope", "none") and row["beats none"] and before["beats none"]:
            family = len(PRIMARY) if row["scheme"] in PRIMARY else 1
            a, b = (interval(r["logs"], 2 * family) for r in (before, row))
            with np.errstate(invalid="ignore"):
                value, low, high = ((b[0] - a[0]) / decades, (b[1] - a[2]) / decades, (b[2] - a[1]) / decades)
            yield row["scheme"], family, value, low, high


def told(log):
    if log == math.inf:
        return f"more than {20 / BUDGETS[0]:g}"
    return f"less than {20 / BUDGETS[-1]:g}" if log == -math.inf else f"{math.exp(log):.2f}"


def span(low, high):
    if low == high:
        return ""
    return f"{told(low)} to {told(high)}" if math.isfinite(low) or math.isfinite(high) else "any"


def verdict(low, high):
    return "falls" if high < 0 else "grows" if low > 0 else "not resolved"


def answer(rungs):
    """answer.md's lines."""
    for rows in rungs:
        size = rows[0]["size"]
        yield from (f"## {size} parameters, {rows[0]['operations']:.1e} operations a run, {rows[0]['seeds']} seeds", "",
                    "| scheme | loss, nats a byte | loss - RoPE's | times RoPE's tokens | interval | which |", "|---|---:|---:|---:|---:|---|")
        for row in rows:
            name = TOLD.get(row["scheme"], row["scheme"])
            if row["scheme"] in ("rope", "none") or not row["beats none"]:
                factor = ["", "", "the scale" if row["scheme"] == "rope" else "the control" if row["scheme"] == "none" else "not shown to be better than none"]
            else:
                which = f"primary, corrected for {row['family']}" if row["family"] > 1 else "exploratory, single"
                factor = [told(row["factor"][0]), span(*row["factor"][1:]), which]
            gap = "" if row["scheme"] == "rope" else "{:+.3f} ({:+.3f} to {:+.3f})".format(*row["gap"])
            yield "| " + " | ".join([name, f"{row['loss']:.3f}", gap, *factor]) + " |"
        yield ""
    if len(rungs) > 1:
        yield from (f"## From {rungs[0][0]['size']} to {rungs[-1][0]['size']}", "",
                    "The factor is multiplied by so much for each tenfold of operations.", "", "| scheme | times | interval | does it fall? |", "|---|---:|---:|---|")
        compared = set()
        for scheme, _, value, low, high in changes(rungs[0], rungs[-1]):
            yield f"| {TOLD.get(scheme, scheme)} | {math.exp(value):.2f} | {math.exp(low):.2f} to {math.exp(high):.2f} | {verdict(low, high)} |"
            compared.add(scheme)
        for scheme in PRIMARY:
            if scheme not in compared:
                yield f"| {TOLD.get(scheme, scheme)} | | | has no factor at one of them, where it is not shown to be better than none |"


def write(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def draw(rungs, path):
    """Loss against compute, in bands from the lowest to the highest seed, and below it the factor: to be read at 340 pixels."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(4.6, 5.6), sharex=True)
    colours = dict(COLOURS, random="#009E73", t5="#56B4E9")
    for scheme in ("none", "learned", "t5", "random", "rope"):
        rows = [row for rows in rungs for row in rows if row["scheme"] == scheme]
        x = [row["operations"] for row in rows]
        above.plot(x, [row["loss"] for row in rows], "o-", color=colours[scheme], markersize=4, label=TOLD.get(scheme, scheme))
        above.fill_between(x, *zip(*(row["band"] for row in rows)), color=colours[scheme], alpha=0.2, linewidth=0)
    for place, scheme in enumerate(PRIMARY):
        rows = [row for rows in rungs for row in rows if row["scheme"] == scheme and row["beats none"]]
        x = [row["operations"] * 1.06 ** (place - 1) for row in rows]
        values, low, high = (np.exp(np.clip([row["factor"][i] for row in rows], LEAST, MOST)) for i in range(3))
        below.errorbar(x, values, [values - low, high - values], fmt="o-", color=colours[scheme], markersize=4, capsize=3)
    below.axhline(1, color=colours["rope"])
    above.set(xscale="log", ylabel="loss, nats a byte")
    below.set(yscale="log", xlabel="operations to train one model", ylabel="times RoPE's tokens")
    below.set_xticks([rows[0]["operations"] for rows in rungs],
                     [f"{rows[0]['operations']:.1e}\n{rows[0]['size']} parameters" for rows in rungs])
    below.set_yticks([0.5, 1, 2, 4, 8], ["0.5", "1 = RoPE", "2", "4", "8"])
    below.minorticks_off()
    below.set_xlim(rungs[0][0]["operations"] / 2, rungs[-1][0]["operations"] * 2)
    above.legend(frameon=False, ncol=3, loc="lower center", bbox_to_anchor=(0.4, 1))
    save(figure, path)


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../runs/baseline/ladder")
    rungs = sorted((factors(directory, size) for size in finished(directory)), key=lambda rows: rows[0]["operations"])
    if not rungs:
        sys.exit(f"ladder.py: {directory} has no finished size")
    write(os.path.join(directory, "factors.csv"), ["size", "operations", "scheme", "seeds", "corrected_for", "loss", "gap", "gap_low", "gap_high",
                                                   "better_than_none", "factor", "low", "high"],
          [[row["size"], f"{row['operations']:.3e}", row["scheme"], row["seeds"], row["family"], f"{row['loss']:.6f}",
            *(f"{value:.6f}" for value in row["gap"]), int(row["beats none"]), *(f"{math.exp(value):.4f}" for value in row["factor"])]
           for rows in rungs for row in rows])
    write(os.path.join(directory, "changes.csv"), ["scheme", "corrected_for", "times_a_decade", "low", "high"],
          [[scheme, family, *(f"{math.exp(value):.4f}" for value in values)]
           for scheme, family, *values in (changes(rungs[0], rungs[-1]) if len(rungs) > 1 else [])])
    with open(os.path.join(directory, "answer.md"), "w", encoding="utf-8") as file:
        file.write("# The ladder's answer\n\n[The plan](../../../docs/ladder.md); written by `python3 scripts/ladder.py`.\n\n")
        file.write("\n".join(answer(rungs)).rstrip() + "\n")
    draw(rungs, os.path.join(directory, "ladder.svg"))


if __name__ == "__main__":
    main()
