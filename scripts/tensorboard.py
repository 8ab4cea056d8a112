#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Show runs in TensorBoard, during training or after it.

    python3 scripts/tensorboard.py runs/rope runs/alibi      follow these runs until Ctrl-C
    python3 scripts/tensorboard.py --once runs/*             write what is there now

Writes events into each run's directory from its log.csv and positions.csv. Needs `pip install tensorboard`.
"""
import argparse
import csv
import glob
import os
import re
import sys
import time

sys.path.pop(0)  # this file has the name of the package
try:
    import numpy as np
    from tensorboard.compat.proto.event_pb2 import Event, SessionLog
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
except ImportError as missing:
    sys.exit(f"{os.path.basename(sys.argv[0])}: this python3 has no {missing.name}; `python3 -m pip install tensorboard` gets it")

SCALARS = {"train_loss": "loss/train", "val_loss": "loss/val", "lr": "training/lr", "grad_norm": "training/grad_norm",
           "tokens_per_second": "training/tokens_per_second"}


def scalars(row):
    return [Summary.Value(tag=tag, simple_value=float(row[column])) for column, tag in SCALARS.items() if row[column]]


def histograms(row):
    """One for each tensor: the column rho.0.3 is number 3 of row 0 of the tensor rho."""
    tensors = {}
    for column, number in row.items():
        if column != "step":
            tensors.setdefault(re.sub(r"\.\d+\.\d+$", "", column), []).append(float(number))
    for name, numbers in tensors.items():
        counts, limits = np.histogram(numbers, bins=30)
        yield Summary.Value(tag=f"positions/{name}", histo=HistogramProto(
            min=min(numbers), max=max(numbers), num=len(numbers), sum=sum(numbers),
            sum_squares=float(np.square(numbers).sum()), bucket_limit=limits[1:], bucket=counts))


TABLES = {"log.csv": scalars, "positions.csv": histograms}


def step_of(line):
    return int(line.split(",")[0]) if line[0].isdigit() else 0  # the header comes before all steps


class Run:
    """A run whose tables grow, and are cut when it is resumed from an earlier checkpoint."""

    def __init__(self, directory):
        self.directory, self.writer = directory, EventFileWriter(directory, filename_suffix=".bitter")
        self.tables = {name: [] for name in TABLES}

    def lines_of(self, name):
        try:
            return open(os.path.join(self.directory, name)).read().split("\n")[:-1]  # the last line may be incomplete
        except FileNotFoundError:
            return []

    def follow(self):
        tables = {name: self.lines_of(name) for name in TABLES}
        same = {name: len(os.path.commonprefix([tables[name], old])) for name, old in self.tables.items()}
        cut = min((step_of(old[same[name]]) for name, old in self.tables.items() if same[name] < len(old)),
                  default=sys.maxsize)
        if cut < sys.maxsize:  # TensorBoard forgets the steps, of both tables, that are repeated
            self.writer.add_event(Event(step=cut, session_log=SessionLog(status=SessionLog.START)))
        for name, values in TABLES.items():
            for n, row in enumerate(csv.DictReader(tables[name]), 1):
                if n >= same[name] or int(row["step"]) >= cut:
                    self.writer.add_event(Event(step=int(row["step"]), wall_time=time.time(),
                                                summary=Summary(value=values(row))))
        self.writer.flush()
        self.tables = tables


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--once", action="store_true", help="end when all rows are written")
parser.add_argument("runs", nargs="+", metavar="RUN")
options = parser.parse_args()
runs = []
for directory in options.runs:
    if not os.path.isfile(os.path.join(directory, "log.csv")):
        sys.exit(f"{directory} has no log.csv; give the directory of a run, such as runs/rope")
    for old in glob.glob(os.path.join(glob.escape(directory), "events.out.tfevents.*.bitter")):
        os.remove(old)  # of an earlier call, so that each step is shown once
    runs.append(Run(directory))
try:
    while True:
        for run in runs:
            run.follow()
        if options.once:
            break
        time.sleep(1)
except KeyboardInterrupt:
    pass
for run in runs:
    run.writer.close()
