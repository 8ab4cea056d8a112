#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw a table: python3 scripts/plot.py TABLE.csv "WHAT ITS NUMBERS ARE"

Writes TABLE.svg: the first column is x, each other column a line, over a logarithmic axis. Needs `pip install matplotlib`.
scripts/questions.py draws with the same functions.
"""
import csv
import os
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError as missing:
    sys.exit(f"{os.path.basename(sys.argv[0])}: this python3 has no {missing.name}; `python3 -m pip install matplotlib` gets it")

# Text stays text; without a date and random names, the same numbers give the same file.
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "bitter", "font.family": "sans-serif"})
plt.rcParams.update({"figure.facecolor": "white", "font.size": 10, "axes.titlesize": 11, "legend.fontsize": 9})
plt.rcParams["axes.prop_cycle"] = plt.cycler(color=["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#8C564B", "#444444", "#B8A800"])
# A scheme has the same colour in every figure; the reference is grey.
COLOURS = dict(zip(("none", "learned", "sinusoidal", "rope", "alibi"), ("#E69F00", "#0072B2", "#009E73", "#D55E00", "#CC79A7")))
GREYS = {"untrained": "--", "chance": ":", "guess": ":", "random walk": "-."}


def style(name):
    for end, dashes in GREYS.items():
        if name.endswith(end):
            return {"color": COLOURS.get(name.split(",")[0], "#777777"), "linestyle": dashes}
    colour = COLOURS.get(name.split(",")[0])
    return {"color": colour} if colour else {}


def legend(axes):
    """Below the plot, where it hides nothing."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncol=2, frameon=False)


def lines(axes, names, rows):
    """x in the first column, a line for each other one; an empty cell is no point."""
    for column, name in enumerate(names[1:], 1):
        points = [(row[0], row[column]) for row in rows if row[column] != ""]
        axes.plot(*zip(*points), label=name, marker="" if len(points) > 20 else "o", markersize=4, linewidth=1.4, **style(name))
    legend(axes)


def bars(axes, names, rows):
    """A group of bars for each row, a colour for each column."""
    width = 0.8 / (len(names) - 1)
    for column, name in enumerate(names[1:], 1):
        places = [i + (column - len(names) / 2) * width for i in range(len(rows))]
        axes.bar(places, [row[column] for row in rows], width, label=name, **style(name))
    axes.set_xticks(range(len(rows)), [row[0] for row in rows])
    legend(axes)


def intervals(axes, names, rows):
    """A point and its interval for each row: name, value, low, high."""
    for place, (_, value, low, high) in enumerate(rows):
        axes.plot([low, high], [place, place], color="#0072B2")
        axes.plot([value], [place], "o", color="#0072B2")
    axes.axvline(0, color="#777777", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path, label = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        head, *body = csv.reader(file)
    picture, plot = plt.subplots(figsize=(8, 4))
    lines(plot, head, [[float(cell) if cell else "" for cell in row] for row in body])
    plot.set(xlabel=head[0], ylabel=label, yscale="log")
    save(picture, path[:-4] + ".svg")
