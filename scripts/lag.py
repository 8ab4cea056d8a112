# SPDX-License-Identifier: MIT
"""How many tokens one scheme needs for the loss of another: python3 scripts/lag.py RESULTS.CSV rope learned

Of a comparison with --tokens-per-parameter: for each amount of training of the second scheme, the share of its tokens
with which the first one has the same loss, from each seed and from the means. Between two amounts the first scheme's loss
is taken to fall evenly with the logarithm of the tokens. "-": its losses do not reach so far.
"""
import csv
import statistics
import sys


def share(curve, loss, tokens):
    amounts = sorted(curve)
    for a, b in zip(amounts, amounts[1:]):
        if curve[b] <= loss <= curve[a]:
            return f"{a * (b / a) ** ((curve[a] - loss) / (curve[a] - curve[b])) / tokens:.2f}"
    return "-"


if len(sys.argv) != 4:
    sys.exit(__doc__.splitlines()[0])
path, first, second = sys.argv[1:]
losses = {first: {}, second: {}}
for row in csv.DictReader(open(path)):
    if row["scheme"] in losses and row["quantity"] == "loss" and row["x"] == row["context"] and row["chosen"] == "1":
        curves = losses[row["scheme"]].setdefault(row["seed"], {})
        curves[float(row["tokens_per_parameter"])] = float(row["value"])
for scheme in losses:
    if not losses[scheme]:
        sys.exit(f"lag.py: {path} has no losses of {scheme}")
seeds = sorted(losses[first])
means = {s: {t: statistics.mean(c[t] for c in losses[s].values()) for t in losses[s][seeds[0]]} for s in losses}
print(f"share of the tokens of {second} that {first} needs for its loss: from the means, and from each seed")
for tokens in sorted(means[second]):
    shares = [share(losses[first][s], losses[second][s][tokens], tokens) for s in seeds]
    print(f"{tokens:8.4g} a parameter  {share(means[first], means[second][tokens], tokens)}  ({' '.join(shares)})")
