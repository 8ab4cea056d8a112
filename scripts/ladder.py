#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The answer of the ladder: python3 scripts/ladder.py [DIR]

DIR (runs/baseline/ladder) has a directory for each finished part, SIZE-TOKENS, as scripts/ladder.sh records them. Writes
factors.csv (how many times RoPE's tokens each scheme needs, at each size), changes.csv (how that changes with compute),
answer.md (both as tables), rates.csv (schemes with other learning rates or bases) and ladder.svg. docs/ladder.md
says how it is judged.
Needs `pip install numpy scipy matplotlib`.
"""
import csv
import itertools
import math
import os
import re
import sys
from textwrap import fill

from check_report import Report, median_interval  # says where to get numpy and scipy
from plot import COLOURS, plt, save
import numpy as np

BUDGETS = (1 / 8, 1 / 4, 1 / 2, 1, 2)  # RoPE's tokens, as shares of the others' tokens, which are 20, 80 or 320 for each parameter
PRIMARY = ("learned", "random", "t5")
BETTER = 0.1  # nats by which RoPE might improve with other rates or bases, at each number of tokens
FAR = 1e9  # stands for values beyond the ends of the scale
TOLD = {"random": "random rotations"}
SIZES = {"english": "123k parameters on English", "block": "123k parameters in GPT-2's blocks",
         "123k-80": "123k parameters, 80 tokens for each", "123k-320": "123k parameters, 320 tokens for each",
         "468k-80": "468k parameters, 80 tokens for each", "1239k/1e6": "1239k parameters, and RoPE with base 1,000,000"}


def size_and_tokens(name):
    """Of NAME, which is SIZE-TOKENS, or SIZE with 20 tokens for each parameter."""
    size, _, tokens = name.partition("-")
    return size, float(tokens or 20)


def part(directory, name, share):
    """The directory of what was trained with this share of the tokens of NAME."""
    size, tokens = size_and_tokens(name)
    return os.path.join(directory, f"{size}-{tokens * share:g}")


def budgets(directory, name):
    """Those of RoPE's budgets that are recorded at NAME."""
    return [share for share in BUDGETS if os.path.exists(part(directory, name, share) + "/results.csv")]


def operations(report, name):
    """Of a run with all tokens of NAME: 6 for each parameter and token, and half of attention's, which sees half of the keys."""
    model = report.plan["settings"][0]
    return size_and_tokens(name)[1] * model["parameters"] * 6 * (model["parameters"] + model["layers"] * model["width"] * model["context"])


def losses(report):
    """scheme -> {seed: loss} of a part's only setting."""
    return {scheme: seeds for (_, scheme), seeds in report.losses.items()}


def rates(report):
    """scheme -> the learning rate that it was compared with."""
    return {scheme["name"]: float(scheme["learning_rate"]) for scheme in report.plan["schemes"]}


def again(directory, name, which_runs):
    """What was trained once more beside NAME's own runs: "ends", with a better rate; "rates", with another one. Or None."""
    path = f"{part(directory, name, 1)}-{which_runs}"
    return Report(path) if os.path.exists(path + "/results.csv") else None


def counted(report, better):
    """losses and rates of a part, in which those of "ends" replace the first ones."""
    return [{**of(report), **(of(better) if better else {})} for of in (losses, rates)]


def base_name(row):
    """t5, of the scheme t5 and of t5@0.016, which is T5 with another rate."""
    return row["scheme"].partition("@")[0]


def log_factor(loss, scale):
    """How many times RoPE's tokens this loss took, as a logarithm; scale has RoPE's budgets and losses, and what it reaches first counts."""
    if not loss <= scale[0][1]:
        return FAR
    for (few, before), (many, after) in itertools.pairwise(scale):
        if after <= loss:  # reached between these two, or at the second
            share = (before - loss) / (before - after)
            return -math.log(few) - share * math.log(many / few)
    return -FAR


def interval(row, comparisons):
    """The median, on the scale or at its end, and its interval as median_interval has it, whose ends are infinite beyond the scale."""
    logs, least, most = row["logs"], row["least"], row["most"]
    # If an end lies between two seeds, one of them beyond the scale, take the end of the scale, the cautious choice.
    low = median_interval(np.minimum(logs, most), comparisons)[1]
    high = median_interval(np.maximum(logs, least), comparisons)[2]
    low = -math.inf if low < least else low
    high = math.inf if high > most else high
    return float(np.median(np.clip(logs, least, most))), low, high


def beyond(row):
    """-1 or 1 where a seed in the middle is below or above the scale, so that its end took part in the median; otherwise 0."""
    logs = np.sort(row["logs"])
    middle = logs[(len(logs) - 1) // 2], logs[len(logs) // 2]
    return -1 if middle[0] < row["least"] else int(middle[1] > row["most"])


def family(scheme, *seeds):
    """How many intervals hold together with this one, which has so many seeds at its sizes."""
    return len(PRIMARY) if scheme in PRIMARY and min(seeds) >= 6 else 1


def which(comparisons, *sizes):
    """What an interval is, of which sizes; those with other tokens were not in the first plan."""
    if comparisons == 1:
        return "exploratory, single"
    return f"{'added later' if re.search('[-/]', ' '.join(sizes)) else 'primary'}, corrected for {comparisons}"


def factors(directory, size):
    """A row for each scheme at this size, the best loss first."""
    report = Report(part(directory, size, 1))
    better, other = again(directory, size, "ends"), again(directory, size, "rates")
    found, rate = counted(report, better)
    compared = len(found) - 1  # with none; other rates are exploratory, not part of the plan
    for runs in (report if better else None, other):
        for scheme, another in rates(runs).items() if runs else ():
            if another != rate[scheme]:
                name = f"{scheme}@{another:g}"
                found[name], rate[name] = losses(runs)[scheme], another
    shares = budgets(directory, size)
    at_budgets = [found["rope"] if share == 1 else losses(Report(part(directory, size, share)))["rope"] for share in shares]
    seeds = sorted(found["rope"])
    at_budgets = [{seed: loss for seed, loss in of_seed.items() if seed in seeds} for of_seed in at_budgets]  # 123k-80 has fewer seeds
    for name, of_seed in [*found.items(), *(("rope at other budgets", of_seed) for of_seed in at_budgets)]:
        if sorted(of_seed) != seeds:
            other = ", ".join(map(str, sorted(set(of_seed) ^ set(seeds))))
            sys.exit(f"ladder.py: {size}: of {name} and of rope with all tokens, only one has seed {other}; "
                     "train what is missing, unless it diverged")
    scale = {seed: [(share, of_seed[seed]) for share, of_seed in zip(shares, at_budgets)] for seed in seeds}
    not_falling = sum(any(before <= after for (_, before), (_, after) in itertools.pairwise(of_seed)) for of_seed in scale.values())
    rows = []
    for scheme, of_seed in found.items():
        less = {other: np.array([of_seed[seed] - found[other][seed] for seed in seeds]) for other in ("rope", "none") if other in found}
        comparisons = family(scheme, len(seeds))
        _, low, high = median_interval(less["none"], compared) if "none" in less else 3 * [-math.inf]  # not all have one
        row = {"size": size, "operations": operations(report, size), "scheme": scheme, "rate": rate[scheme], "losses": of_seed,
               "tokens": size_and_tokens(size)[1] * report.plan["settings"][0]["parameters"], "seeds": len(seeds), "family": comparisons,
               "loss": float(np.median(list(of_seed.values()))), "band": (min(of_seed.values()), max(of_seed.values())),
               "gap": median_interval(less["rope"], comparisons), "beats none": high < 0, "control": "none" in less,
               "no factor": "worse than none" if low > 0 else "not shown to be better than none",
               "gaps": less["rope"], "logs": np.array([log_factor(of_seed[seed], scale[seed]) for seed in seeds]),
               "least": -math.log(shares[-1]), "most": -math.log(shares[0]), "not falling": not_falling}
        better_rope = np.array([log_factor(of_seed[seed] + BETTER, scale[seed]) for seed in seeds])
        rows.append({**row, "factor": interval(row, comparisons), "if better": interval({**row, "logs": better_rope}, comparisons)})
    return sorted(rows, key=lambda row: row["loss"])


def on_bigger_base(directory, rows):
    """The table's row of a size, but on the scale of RoPE with base 1,000,000, as a size of its own; none where that has no two budgets."""
    name = rows[0]["size"]
    paths = [(share, part(directory, name, share) + "-1e6") for share in BUDGETS]
    scale = [(share, losses(Report(path))["rope-1e6"]) for share, path in paths if os.path.exists(path + "/results.csv")]
    if len(scale) < 2:
        return []
    table, = (row for row in rows if row["scheme"] == "learned")
    of_seeds = sorted(table["losses"].items())
    gaps = np.array([loss - scale[-1][1][seed] for seed, loss in of_seeds])
    logs = [np.array([log_factor(loss + nats, [(share, rope[seed]) for share, rope in scale]) for seed, loss in of_seeds]) for nats in (0, BETTER)]
    row = {**table, "size": f"{name}/1e6", "gaps": gaps, "gap": median_interval(gaps, table["family"]), "logs": logs[0],
           "least": -math.log(scale[-1][0]), "most": -math.log(scale[0][0]),
           "not falling": sum(scale[0][1][seed] <= scale[-1][1][seed] for seed, _ in of_seeds)}
    return [{**row, "factor": interval(row, row["family"]), "if better": interval({**row, "logs": logs[1]}, row["family"])}]


def all_parts(directory):
    """The names of what is trained with 20 tokens for each parameter, or more at the smaller sizes, and whether RoPE's scale has two budgets."""
    names = [name.removesuffix("-20") for name in os.listdir(directory) if re.fullmatch(r"(\d+k|english|block)-20|123k-(80|320)|468k-80", name)]
    return {name: min(shares := budgets(directory, name), default=1) < 1 and 1 in shares for name in sorted(names)}


def same_tokens(first, last):
    """Of 123k with 80 tokens for each parameter, and 468k with 20, whose runs differ by 5%."""
    return first[0]["size"] == "123k-80" and last[0]["size"] == "468k"


def at_both(first, last):
    """For each scheme at both sizes: its name and its two rows. One that was trained with another rate (t5@0.016) also belongs to
    the runs of the other size that have this rate."""
    for after, before in itertools.product(last, first):
        if base_name(after) in ("rope", "none") or base_name(after) != base_name(before):
            continue
        if after["scheme"] == before["scheme"]:
            yield after["scheme"], before, after
        elif after["rate"] == before["rate"]:
            yield f"{base_name(after)}@{after['rate']:g}", before, after


def changes(first, last):
    """For each scheme at both sizes: its name, how many intervals hold together, the change of its factor's logarithm, or None where it has
    no factor at one of them, why not, and the change of its loss - RoPE's. Changes are (value, low, high). That of the factor is for each
    decade of operations, but where both sizes have the same tokens the change itself."""
    decades = 1 if same_tokens(first, last) else math.log10(last[0]["operations"] / first[0]["operations"])
    for scheme, before, after in at_both(first, last):
        comparisons, factor = family(scheme, before["seeds"], after["seeds"]), None
        why = "; ".join(f"{row['size']}: {row['no factor']}" for row in (before, after) if not row["beats none"])
        if not why:
            a, b = (interval(row, 2 * comparisons) for row in (before, after))
            known = not any(beyond(row) for row in (before, after))
            factor = ((b[0] - a[0]) / decades if known else math.nan, (b[1] - a[2]) / decades, (b[2] - a[1]) / decades)
        a, b = (median_interval(row["gaps"], 2 * comparisons) for row in (before, after))
        yield scheme, comparisons, factor, why, (b[0] - a[0], b[1] - a[2], b[2] - a[1])


def other_rates(rows):
    """The differences between all runs of the schemes that this size has with several rates."""
    again_too = {base_name(row) for row in rows if "@" in row["scheme"]}
    at_rate = {f"{base_name(row)}@{row['rate']:g}": row["losses"] for row in rows if base_name(row) in again_too}
    for a, b in itertools.combinations(sorted(at_rate, reverse=True), 2):
        yield difference(rows[0]["size"], a, b, at_rate)


def difference(size, a, b, found):
    """A row of rates.csv: the loss of a minus that of b, of the seeds that both have, with its interval alone, and corrected for three."""
    less = np.array([found[a][seed] - found[b][seed] for seed in sorted(found[b]) if seed in found[a]])
    return [size, f"{a} - {b}", *(f"{nats:.6f}" for nats in (*median_interval(less, 1), *median_interval(less, len(PRIMARY))[1:]))]


def trained_later(directory):
    """Where RoPE was trained later than the other schemes, with base 1,000,000, and at 123k with 640 instead of 320: size, a name, losses."""
    for size, later, scheme, name in (("468k-80", "468k-80-1e6", "rope-1e6", "rope-1e6"),
                                      ("1239k-20", "1239k-20-1e6", "rope-1e6", "rope-1e6"),
                                      ("1239k-10", "1239k-10-1e6", "rope-1e6", "rope-1e6"),
                                      ("123k-320", "123k-320-1e6", "rope-1e6", "rope-1e6"), ("123k-320", "123k-640", "rope", "rope-640")):
        path = os.path.join(directory, later)
        if os.path.exists(path + "/results.csv"):
            yield size, name, losses(Report(path))[scheme]


def added_later(directory):
    """The differences from these."""
    for size, label, of_seed in trained_later(directory):
        report, better = Report(os.path.join(directory, size)), again(directory, size, "ends")
        found = counted(report, better)[0]
        if better:  # beside what counts, the first rates
            found |= {f"{name}@{rate:g}": losses(report)[name] for name, rate in rates(report).items()}
        found[label] = of_seed
        for name in sorted(found):
            if name.startswith(("learned", "t5")):
                yield difference(size, name, label, found)
            elif name.startswith("rope") and name != label:
                yield difference(size, label, name, found)


def told(log, row):
    if log >= row["most"]:
        return f"more than {math.exp(row['most']):g}"
    return f"less than {math.exp(row['least']):g}" if log <= row["least"] else f"{math.exp(log):.2f}"


def span(low, high, row):
    if low == -math.inf and high == math.inf:
        return "any"
    ends = told(low, row), told(high, row)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def span_of_change(low, high):
    if low == -math.inf or high == math.inf:
        bounds = math.floor(100 * math.exp(low)) / 100, math.ceil(100 * math.exp(high)) / 100 if high < math.inf else math.inf
        return f"more than {bounds[0]:.2f}" if low > -math.inf else f"less than {bounds[1]:.2f}" if high < math.inf else "any"
    return f"{math.exp(low):.2f} to {math.exp(high):.2f}"


def verdict(low, high):
    return "falls" if high < 0 else "grows" if low > 0 else "not resolved"


def answer_of_size(rows):
    """The table of one size, as lines of Markdown."""
    size = SIZES.get(rows[0]["size"], f"{rows[0]['size']} parameters")
    yield from (f"## {size}, {rows[0]['operations']:.1e} operations a run, {rows[0]['seeds']} seeds", "",
                "| scheme | loss, nats a byte | loss - RoPE's | times RoPE's tokens | interval | which |",
                "|---|---:|---:|---:|---:|---|")
    for row in rows:
        words = told(row["factor"][0], row)
        if beyond(row) and words[0].isdigit():
            words = f"{'at most' if beyond(row) < 0 else 'at least'} {words}"
        factor = [words, span(*row["factor"][1:], row), which(row["family"], row["size"])]
        if row["scheme"] in ("rope", "none"):
            factor = ["", "", "the scale" if row["scheme"] == "rope" else "the control"]
        elif not row["beats none"]:
            factor = ["", "", row["no factor"]]
        gap = "" if row["scheme"] == "rope" else "{:+.3f} ({:+.3f} to {:+.3f})".format(*row["gap"])
        yield "| " + " | ".join([TOLD.get(row["scheme"], row["scheme"]), f"{row['loss']:.3f}", gap, *factor]) + " |"
    if rows[0]["not falling"]:
        yield from ("", f"In {rows[0]['not falling']} of the seeds RoPE's loss does not fall with every budget; "
                    "what it reaches first counts.")
    if not rows[0]["control"]:
        yield from ("", "No control without positions was trained.")
    if rows[0]["seeds"] == 6:
        yield from ("", "With 6 seeds, an interval that is corrected for three is Student's t, widened to the least and the greatest seed. Where all "
                    "seeds are beyond the scale, it is their range, and holds alone, as do changes to this size.")
    yield ""


def answer_of_change(first, last):
    """How factors change from one size to another, as lines of Markdown."""
    words = ["{}, {:g} tokens for each parameter".format(*size_and_tokens(rows[0]["size"])) for rows in (first, last)]
    for_what = ", with about the same tokens" if same_tokens(first, last) else " for each tenfold of operations"
    bases = " At the first, it is a factor against RoPE with base 500; at the second, against base 1,000,000." if "/" in words[1] else ""
    yield from (f"## From {words[0]}, to {words[1]}", "", f"The factor is multiplied by so much{for_what}.{bases}", "",
                "| scheme | times | interval | does it fall? | change of loss - RoPE's (not planned) | which |",
                "|---|---:|---:|---|---:|---|")
    for scheme, comparisons, factor, why, gap in changes(first, last):
        if factor:
            times = "" if math.isnan(factor[0]) else f"{math.exp(factor[0]):.2f}"
            told_change = [times, span_of_change(*factor[1:]), verdict(*factor[1:])]
        else:
            told_change = ["", "", f"cannot be said ({why})"]
        told_change += ["{:+.3f} ({:+.3f} to {:+.3f})".format(*gap), which(comparisons, first[0]["size"], last[0]["size"])]
        yield "| " + " | ".join([TOLD.get(scheme, scheme), *told_change]) + " |"
    yield ""


def answer_of_bases(directory):
    """The table of RoPE's bases, from the runs that choose rates, as lines of Markdown."""
    found, bases = {}, set()  # (parameters, tokens for each) -> base -> rate -> losses on the half of the text that chooses
    for name in sorted(name for name in os.listdir(directory) if re.match("rates-|bases-", name)):
        path = os.path.join(directory, name)
        if not os.path.exists(path + "/results.csv"):
            continue
        base = {scheme["name"]: float(scheme["pos"].split("=")[1].split(",")[0]) for scheme in Report(path).plan["schemes"]
                if scheme["pos"].startswith("rope:base=")}
        with open(path + "/results.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["quantity"] == "choose" and row["scheme"] in base:
                    at = int(row["parameters"]), round(float(row["tokens_per_parameter"]))
                    of_base = found.setdefault(at, {}).setdefault(base[row["scheme"]], {})
                    of_base.setdefault(float(row["learning_rate"]), []).append(float(row["value"]))
                    bases.add(base[row["scheme"]])
    yield from ("## RoPE's base", "", "RoPE's loss on the half of the validation text that chooses rates, in the mean of the two seeds that "
                "choose, at the best of its learning rates (beside it).", "",
                "| parameters, tokens for each | " + " | ".join(f"base {base:,.0f}" for base in sorted(bases)) + " |",
                "|---|" + "---:|" * len(bases))
    for (parameters, tokens), of_size in sorted(found.items()):
        best = {base: min((np.mean(seeds), rate) for rate, seeds in of_base.items()) for base, of_base in of_size.items()}
        cells = ["{:.3f} ({:g})".format(*best[base]) if base in best else "" for base in sorted(bases)]
        yield f"| {round(parameters / 1000)}k, {tokens} | " + " | ".join(cells) + " |"
    yield ""


def answer_of_runs(directory, name, column, value, title, words):
    """A table of NAME.csv, which a script measured on runs, as lines of Markdown: for each part and scheme the least and the most of its
    runs, for each value of the column."""
    path = os.path.join(directory, f"{name}.csv")
    if not os.path.exists(path):  # no run was tried
        return
    measured, every = {}, []  # (part, scheme) -> value of the column -> of each run
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name, _, run = row["run"].split("/")
            of_scheme = measured.setdefault((name, run.rpartition("-seed")[0].replace("-lr", "@")), {})
            of_scheme.setdefault(row[column], []).append(value(row))
            if row[column] not in every:
                every.append(row[column])
    yield from (f"## {title}", "", f"{words}, from the least to the most of the runs.", "",
                "| part | scheme | runs | " + " | ".join(every) + " |", "|---|---|---:|" + "---:|" * len(every))
    for (name, scheme), of_scheme in sorted(measured.items()):
        spans = [f"{min(of_scheme[at]):.2f} to {max(of_scheme[at]):.2f}" for at in every]
        yield "| " + " | ".join([name, scheme, str(len(of_scheme[every[0]])), *spans]) + " |"
    yield ""


def write(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def write_factors(path, tables):
    head = ["size", "operations", "scheme", "seeds", "corrected_for", "loss", "gap", "gap_low", "gap_high", "better_than_none",
            "factor", "low", "high", "if_rope_better", "if_low", "if_high"]
    rows = []
    for row in (row for rows_of_size in tables for row in rows_of_size):
        factor = [f"{math.exp(log):.4f}" for log in (*row["factor"], *row["if better"])]
        rows.append([row["size"], f"{row['operations']:.3e}", row["scheme"], row["seeds"], row["family"], f"{row['loss']:.6f}",
                     *(f"{nats:.6f}" for nats in row["gap"]), int(row["beats none"]) if row["control"] else "", *factor])
    write(path, head, rows)


def write_changes(path, pairs):
    rows = []
    for first, last in pairs:
        for_each = "change" if same_tokens(first, last) else "tenfold of operations"
        for scheme, comparisons, factor, _, gap in changes(first, last):
            times = ["" if math.isnan(log) else f"{math.exp(log):.4f}" for log in factor or 3 * [math.nan]]
            rows.append([first[0]["size"], last[0]["size"], scheme, comparisons, for_each, *times, *(f"{nats:.6f}" for nats in gap)])
    write(path, ["from", "to", "scheme", "corrected_for", "for_each", "times", "low", "high", "gap_change", "gap_low", "gap_high"], rows)


def write_answer(directory, tables, pairs, unfinished):
    lines = ["# The ladder's answer", "", "[The plan](../../../docs/ladder.md); written by `python3 scripts/ladder.py`.", "",
             "![Losses, and below how many times RoPE's tokens each scheme needs](ladder.svg)", ""]
    for rows in tables:
        lines += answer_of_size(rows)
    for first, last in pairs:
        lines += answer_of_change(first, last)
    lines += answer_of_bases(directory)
    lines += answer_of_runs(directory, "copying", "distance", lambda row: float(row["first"]) - float(row["again"]), "Copying",
                            "Nats a byte that random letters cost less where they come again, so many letters later "
                            "(`scripts/copying.py`)")
    lines += answer_of_runs(directory, "repeats", "repeated", lambda row: float(row["nats"]), "Where the text repeats itself",
                            "Loss in nats a byte, by how many of the bytes before it have stood together earlier in the window "
                            "(`scripts/repeats.py`)")
    if unfinished:
        lines.append(f"Not finished: {', '.join(unfinished)}.")
    with open(os.path.join(directory, "answer.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def of_size(longer, rung):
    return [rows for rows in longer if size_and_tokens(rows[0]["size"])[0] == rung[0]["size"]]


def draw(rungs, longer, bigger, directory):
    """Loss against compute, in bands from the lowest to the highest seed, and below it the factor: to be read at 340 pixels. rungs are the
    sizes with 20 tokens for each parameter; longer are those that trained on (squares, dotted lines). Diamonds: RoPE with base 1,000,000, and the
    factors on its scale (bigger)."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(4.6, 5.8), sharex=True)
    colours = dict(COLOURS, random="#009E73", t5="#56B4E9")
    names = {"none": "no positions", "learned": "learned table", "t5": "T5's biases", **TOLD, "rope": "RoPE, base 500"}
    for scheme in names:
        for tables, style, marked in ((rungs, "o-", 0), *(([rung, *of_size(longer, rung)], "s:", 1) for rung in rungs)):
            rows = [row for rows in tables for row in rows if row["scheme"] == scheme]
            if not rows:
                continue
            x = [row["operations"] for row in rows]
            above.plot(x, [row["loss"] for row in rows], style, color=colours[scheme], markersize=4,
                       label=names[scheme] if tables is rungs else None, markevery=slice(marked, None))
            above.fill_between(x, *zip(*(row["band"] for row in rows)), color=colours[scheme], alpha=0.2, linewidth=0)
    operations = {rows[0]["size"]: rows[0]["operations"] for rows in (*rungs, *longer)}
    bases = [(operations[at], list(of_seed.values())) for size, name, of_seed in trained_later(directory)
             if name == "rope-1e6" and (at := size.removesuffix("-20")) in operations]
    for x, of_seed in bases:  # a little to the right of the other schemes with as many operations
        middle = np.median(of_seed)
        above.errorbar(1.15 * x, middle, [[middle - min(of_seed)], [max(of_seed) - middle]], fmt="D", color="black", markerfacecolor="white",
                       markersize=4, capsize=2, linewidth=1, label="RoPE, base $10^6$" if x == bases[0][0] else None)
    for place, scheme in enumerate(PRIMARY):
        for rows in (*rungs, *longer, *bigger):
            for row in (row for row in rows if row["scheme"] == scheme):
                x, colour = row["operations"], colours[scheme]
                if not row["beats none"]:
                    why = fill(f"{names[scheme]}: {row['no factor']}".replace("none", names["none"]), 22)
                    below.plot(x, math.exp(row["most"]), "^", color=colour, markersize=6)
                    below.annotate(why, (x, math.exp(row["most"])), (8, 0), color=colour, textcoords="offset points", va="center", fontsize="small")
                    continue
                value, low, high = np.exp(np.clip(row["factor"], row["least"], row["most"]))
                other_base = "/" in row["size"]
                x *= 1.15 if other_base else 1.06 ** (place - 1)  # side by side
                shape = {"fmt": "D" if other_base else "s" if "-" in row["size"] else "o", "markersize": 4, "color": colour}
                if row["factor"][0] == row["least"]:  # how much less is unknown
                    below.errorbar(x, value, 0.25 * value, uplims=True, **shape)
                    offset, align, at = ((-8, 0), "right", "center") if row["least"] < 0 else ((0, -18), "center", "top")
                    below.annotate(f"{names[scheme]}:\n{told(row['least'], row)}", (x, value), offset, color=colour,
                                   textcoords="offset points", ha=align, va=at, fontsize="small")
                    continue
                below.errorbar(x, value, [[value - low], [high - value]], capsize=3,
                               markerfacecolor=colour if row["seeds"] >= 6 and not other_base else "white", **shape)
                if other_base:
                    below.annotate("against\nbase $10^6$", (x, high), (0, 4), color=colour, textcoords="offset points", ha="center", fontsize="small")
    below.axhline(1, color=colours["rope"])
    above.set(xscale="log", ylabel="loss, nats a byte\n(lower is better)")
    below.set(yscale="log", xlabel="operations to train",
              ylabel="times RoPE's tokens for\nthe same loss (less is better)")
    for rows in (*rungs, *longer):  # labels: above the highest loss or, where there is more room, beside the table's
        size, _ = size_and_tokens(rows[0]["size"])
        table, = (row for row in rows if row["scheme"] == "learned")
        where = "right" if rows in rungs[1:2] else "below" if rows in rungs[2:] else "left" if table is rows[0] else "above"
        offset, align = {"right": ((6, 0), "left"), "left": ((-6, -6), "right"), "above": ((0, 7), "center"), "below": ((0, -20), "center")}[where]
        words = f"{size}, {table['tokens'] / 1e6:.2g} M"
        if rows is rungs[0]:
            words, offset, align = words.replace(",", " parameters,") + " tokens", (-16, 7), "left"
        above.annotate(words, (table["operations"], (rows[-1] if where == "above" else table)["loss"]), offset,
                       textcoords="offset points", ha=align, fontsize="small")
    above.margins(y=0.2)
    above.set_title("solid: to larger models; dotted: to more tokens", fontsize="small", loc="right")
    below.set_ylim(0.33, 10.5)
    below.set_yticks([0.5, 1, 2, 4, 8], ["0.5 or less", "1 = RoPE", "2", "4", "8 or more"])
    below.minorticks_off()
    every = [rows[0]["operations"] for rows in (*rungs, *longer)]
    below.set_xlim(min(every) / 5, max(every) * 4)
    above.legend(frameon=False, ncol=3, loc="lower center", bbox_to_anchor=(0.4, 1.07))
    save(figure, os.path.join(directory, "ladder.svg"))


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "../runs/baseline/ladder")
    parts = all_parts(directory)
    tables = sorted((factors(directory, name) for name, finished in parts.items() if finished), key=lambda rows: rows[0]["operations"])
    rungs = [rows for rows in tables if re.fullmatch(r"\d+k", rows[0]["size"])]  # english and block have another text, another block
    if not rungs:
        sys.exit(f"ladder.py: {directory} has no finished size")
    found = {rows[0]["size"]: rows for rows in tables}
    pairs = [(rungs[0], last) for last in rungs[1:]]
    for first, last in (("123k", "123k-80"), ("123k-80", "123k-320"), ("123k-80", "468k"), ("468k", "468k-80"), ("123k-80", "468k-80"),
                        ("468k", "1239k")):
        if first in found and last in found:
            pairs.append((found[first], found[last]))
    bigger = [row for rows in rungs if (row := on_bigger_base(directory, rows))]
    pairs += [(found["468k"], rows) for rows in bigger]
    tables += bigger
    write_factors(os.path.join(directory, "factors.csv"), tables)
    write_changes(os.path.join(directory, "changes.csv"), pairs)
    differences = [found for rows in tables for found in other_rates(rows)]
    write(os.path.join(directory, "rates.csv"), ["size", "scheme", "gap", "low", "high", "low_of_3", "high_of_3"], [*differences, *added_later(directory)])
    write_answer(directory, tables, pairs, [name for name, finished in parts.items() if not finished])
    draw(rungs, [rows for rows in tables if re.fullmatch(r"\d+k-\d+", rows[0]["size"])], bigger, directory)


if __name__ == "__main__":
    main()
