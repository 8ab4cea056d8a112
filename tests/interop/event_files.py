# scripts/tensorboard.py: TensorBoard's own reader finds in its event files the numbers of log.csv and positions.csv,
# each step once, for a finished run, one that is followed in training, and one that goes back to its checkpoint.
import csv
import os
import signal
import subprocess
import sys
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from common import *

TAGS = {"loss/train": "train_loss", "loss/val": "val_loss", "training/lr": "lr", "training/grad_norm": "grad_norm",
        "training/tokens_per_second": "tokens_per_second"}
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/tensorboard.py")


def rows_of(run, name):
    return list(csv.reader(open(os.path.join(run, name))))


def read(run):
    events = EventAccumulator(run, size_guidance={"scalars": 0, "histograms": 0})
    events.Reload()
    return events


def compare(name, run):
    rows = list(csv.DictReader(open(os.path.join(run, "log.csv"))))
    events = read(run)
    check(f"{name}: the tags", set(events.Tags()["scalars"]) == set(TAGS))
    for tag, column in TAGS.items():
        wanted = [(int(row["step"]), float(row[column])) for row in rows if row[column]]
        found = [(event.step, event.value) for event in events.Scalars(tag)]
        check(f"{name}: {tag}", [step for step, _ in found] == [step for step, _ in wanted] and
              np.allclose([x for _, x in found], [x for _, x in wanted], rtol=1e-6))
    positions = rows_of(run, "positions.csv")[1:]
    histograms = events.Histograms("positions/table")
    check(f"{name}: a histogram for each row of positions.csv",
          [event.step for event in histograms] == [int(row[0]) for row in positions])
    for event, row in zip(histograms, positions):
        numbers, h = np.array(row[1:], dtype=float), event.histogram_value
        check(f"{name}: the histogram of step {event.step}",
              h.num == numbers.size == sum(h.bucket) and len(h.bucket) == len(h.bucket_limit) == 30 and
              np.allclose([h.min, h.max, h.sum, h.sum_squares],
                          [numbers.min(), numbers.max(), numbers.sum(), np.square(numbers).sum()], rtol=1e-6))


def wait_for(what):
    end = time.time() + 120
    while not what() and time.time() < end:
        time.sleep(0.1)
    return what()


small = ["--data", "builtin:tales:bytes=50000", "--pos", "learned", "--layers", 1, "--heads", 2, "--width", 8,
         "--context", 16, "--batch", 2, "--threads", 1, "--eval-tokens", 500]
done = path("done")
bitter("train", *small, "--steps", 60, "--eval-every", 20, "--out", done)
subprocess.run([sys.executable, script, "--once", done], check=True)
compare("a run that is done", done)
subprocess.run([sys.executable, script, "--once", done], check=True)
compare("written again", done)

live = path("live")
bitter("train", *small, "--steps", 40, "--eval-every", 10, "--save-every", 40, "--out", live)
# A program in the background of a script ignores Ctrl-C, and would hand that on.
follower = subprocess.Popen([sys.executable, script, live],
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
check("it follows", wait_for(lambda: os.listdir(live) and read(live).Tags()["scalars"] and
                             len(read(live).Scalars("loss/train")) == 40))
# What a kill after the checkpoint leaves: rows that a resumed run cuts off and writes again.
log = os.path.join(live, "log.csv")
with open(log, "a") as file:
    last = rows_of(live, "log.csv")[-1]
    for step in range(41, 60):
        file.write(",".join([str(step), *last[1:]]) + "\n")
check("it sees more rows", wait_for(lambda: len(read(live).Scalars("loss/train")) == 59))
bitter("train", "--resume", "--out", live, "--steps", 50)
check("it sees the resumed run", wait_for(lambda: len(read(live).Scalars("loss/train")) == 50))
follower.send_signal(signal.SIGINT)
check("Ctrl-C ends it", follower.wait() == 0)
compare("a run that went on from its checkpoint", live)

refused = subprocess.run([sys.executable, script, path("nothing")], capture_output=True, text=True)
check("no run", refused.returncode != 0 and "log.csv" in refused.stderr)
finish()
