#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Has a model learned to copy? What random letters cost it, and what the same letters cost when they come again:

    python3 scripts/copying.py BITTER RUN...

Each window has random letters in its first half, which nothing can predict, and the same in its second half, which a model that copies
predicts well. Prints a row of CSV for each run, whose tokens are bytes: its directory, and its mean loss in both halves, in nats a byte,
without the first bytes of each, where there is little to copy from.
"""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

WINDOWS = 40
SKIPPED = 48  # bytes at the beginning of each half


def halves(bitter, run, directory):
    """The mean loss of RUN in the two halves of a window."""
    with open(os.path.join(run, "config.json"), encoding="utf-8") as file:
        T = json.load(file)["options"]["context"]
    letters = random.Random(1)
    data = os.path.join(directory, f"data-{T}")
    if not os.path.exists(data):
        path = os.path.join(directory, f"{T}.txt")
        with open(path, "w", encoding="ascii") as file:
            for _ in range(WINDOWS):
                file.write(2 * "".join(letters.choice("abcdefghijklmnopqrstuvwxyz_ ") for _ in range(T // 2)))
        # Twice: one to train on, which prepare asks for, and one to measure.
        subprocess.run([bitter, "prepare", "--val", "0.5", "--out", data, path, path], check=True, stdout=subprocess.DEVNULL)
    table = os.path.join(directory, "positions.csv")
    subprocess.run([bitter, "eval", run, "--data", data, "--by-position", "--csv", table], check=True, stdout=subprocess.DEVNULL)
    with open(table, encoding="utf-8") as file:
        loss = {int(row["position"]): float(row["nats"]) for row in csv.DictReader(file) if row["position"] != "all"}
    os.remove(table)
    for begin in (0, T // 2):
        counted = [loss[position] for position in range(begin + SKIPPED, begin + T // 2 - 1)]
        yield sum(counted) / len(counted)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: python3 scripts/copying.py BITTER RUN...")
    bitter, *runs = sys.argv[1:]
    print("run,first,second")
    with tempfile.TemporaryDirectory() as directory:
        for run in runs:
            first, second = halves(bitter, run, directory)
            print(f"{run},{first:.3f},{second:.3f}", flush=True)


if __name__ == "__main__":
    main()
