#!/usr/bin/env python3
"""Draw a table: python3 scripts/plot.py TABLE.csv "WHAT ITS NUMBERS ARE"

Writes TABLE.svg: the first column is x, each other column a line, over a logarithmic axis. Needs `pip install matplotlib`.
"""
import csv
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

path, label = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    names, *rows = csv.reader(file)
figure, axes = plt.subplots(figsize=(8, 4))
for column, name in enumerate(names[1:], 1):
    axes.plot(*zip(*((float(row[0]), float(row[column])) for row in rows if row[column])), label=name)
axes.set(xlabel=names[0], ylabel=label, yscale="log")
axes.legend()
figure.savefig(path[:-4] + ".svg")
