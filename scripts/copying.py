#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has a model learned to copy? What random letters cost it, and what the same letters cost when they come again:

    python3 scripts/copying.py BITTER RUN...

Random letters, which nothing can predict, are followed by the same letters, which a model that copies predicts well; then by others, twice,
and so on to the end of the window. Prints a row of CSV for each run, whose tokens are bytes, and each distance (so many letters are repeated)
that fills the window: the run's directory, the distance, and the mean loss in nats a byte when letters come first and when they come again.
The first 8 letters, after which there is enough to look for, do not count.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

WINDOWS = 40
DISTANCES = (32, 64, 128, 256)
SKIPPED = 8


def data_of(bitter, T, distance, directory):
    """Prepared windows of T bytes in which letters come again at this distance."""
    data = os.path.join(directory, f"data-{T}-{distance}")
    if os.path.exists(data):
        return data
    letters = random.Random(1)
    path = os.path.join(directory, "text.txt")
    with open(path, "w", encoding="ascii") as file:
        for _ in range(WINDOWS * T // (2 * distance)):
            file.write(2 * "".join(letters.choice("abcdefghijklmnopqrstuvwxyz_ ") for _ in range(distance)))
    # Twice: one copy to train on, which prepare requires, and one to measure.
    subprocess.run([bitter, "prepare", "--val", "0.5", "--out", data, path, path], check=True, stdout=subprocess.DEVNULL)
    return data


def context_of(run):
    """The tokens of a window in which RUN was trained."""
    with open(os.path.join(run, "config.json"), encoding="utf-8") as file:
        return json.load(file)["options"]["context"]


def losses_by_position(bitter, run, data, directory):
    """The mean loss of RUN on these data at each position of a window, in nats, from the first on."""
    table = os.path.join(directory, "positions.csv")
    subprocess.run([bitter, "eval", run, "--data", data, "--by-position", "--csv", table], check=True, stdout=subprocess.DEVNULL)
    with open(table, encoding="utf-8") as file:
        losses = [float(row["nats"]) for row in csv.DictReader(file) if row["position"] != "all"]
    os.remove(table)
    return losses


def first_and_again(bitter, run, T, distance, directory):
    """The mean loss of RUN where letters come first, and where they come again."""
    # The prediction at a position is the next letter; at the last, a letter of the next window.
    loss = dict(enumerate(losses_by_position(bitter, run, data_of(bitter, T, distance, directory), directory), 1))
    for begin in (0, distance):
        counted = [nats for letter, nats in loss.items() if letter < T and begin + SKIPPED <= letter % (2 * distance) < begin + distance]
        yield sum(counted) / len(counted)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: python3 scripts/copying.py BITTER RUN...")
    bitter, *runs = sys.argv[1:]
    print("run,distance,first,again")
    with tempfile.TemporaryDirectory() as directory:
        for run in runs:
            T = context_of(run)
            for distance in (distance for distance in DISTANCES if T % (2 * distance) == 0):
                first, again = first_and_again(bitter, run, T, distance, directory)
                print(f"{run},{distance},{first:.3f},{again:.3f}", flush=True)


if __name__ == "__main__":
    main()
