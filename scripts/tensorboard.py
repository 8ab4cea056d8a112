#!/usr/bin/env python3
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
import numpy as np
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

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


class Table:
    """A CSV file that grows, and is cut when its run is resumed from an earlier checkpoint."""

    def __init__(self, path, values, writer):
        self.path, self.values, self.writer, self.step = path, values, writer, -1

    def follow(self):
        try:
            lines = open(self.path).read().split("\n")[:-1]  # the last line may be written only in part
        except FileNotFoundError:
            return
        rows = list(csv.DictReader(lines))
        if rows and int(rows[-1]["step"]) < self.step:  # resumed: TensorBoard forgets the steps that come again
            self.step = int(rows[-1]["step"])
            self.writer.add_event(Event(step=self.step + 1, session_log=SessionLog(status=SessionLog.START)))
        for row in rows:
            if int(row["step"]) > self.step:
                self.step = int(row["step"])
                self.writer.add_event(Event(step=self.step, wall_time=time.time(),
                                            summary=Summary(value=self.values(row))))


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--once", action="store_true", help="end when all rows are written")
parser.add_argument("runs", nargs="+", metavar="RUN")
options = parser.parse_args()
tables, writers = [], []
for run in options.runs:
    if not os.path.isfile(os.path.join(run, "log.csv")):
        sys.exit(f"{run} has no log.csv; give the directory of a run, such as runs/rope")
    for old in glob.glob(os.path.join(glob.escape(run), "events.out.tfevents.*.bitter")):
        os.remove(old)  # of an earlier call, so that each step is there once
    writers.append(EventFileWriter(run, filename_suffix=".bitter"))
    tables += [Table(os.path.join(run, "log.csv"), scalars, writers[-1]),
               Table(os.path.join(run, "positions.csv"), histograms, writers[-1])]
try:
    while True:
        for table in tables:
            table.follow()
        for writer in writers:
            writer.flush()
        if options.once:
            break
        time.sleep(1)
except KeyboardInterrupt:
    pass
for writer in writers:
    writer.close()
