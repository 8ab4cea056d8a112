# TensorBoard's own reader finds in the event files of a run what log.csv has, after any number of kills, and each step
# once. bitter train is killed at any instant, mostly in the middle of a step.
import csv
import glob
import os
import random
import signal
import subprocess
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from common import *

TAGS = {"loss/train": "train_loss", "loss/val": "val_loss", "training/lr": "lr", "training/grad_norm": "grad_norm",
        "training/tokens_per_second": "tokens_per_second"}


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
    positions = [row for row in csv.reader(open(os.path.join(run, "positions.csv")))]
    histograms = events.Histograms("positions/table")
    check(f"{name}: a histogram for each row of positions.csv",
          [event.step for event in histograms] == [int(row[0]) for row in positions[1:]])
    for event, row in zip(histograms, positions[1:]):
        numbers, h = np.array(row[1:], dtype=float), event.histogram_value
        good = (h.num == numbers.size == sum(h.bucket) and np.isclose(h.min, numbers.min(), rtol=1e-6) and
                np.isclose(h.max, numbers.max(), rtol=1e-6) and np.isclose(h.sum, numbers.sum(), atol=1e-5) and
                np.isclose(h.sum_squares, np.square(numbers).sum(), rtol=1e-5))
        # A number within rounding of a limit may be on either side of it.
        below = [np.sum(numbers <= limit + 1e-6) - total for limit, total in zip(h.bucket_limit, np.cumsum(h.bucket))]
        good = good and len(h.bucket) == len(h.bucket_limit) and all(0 <= n <= 2 for n in below)
        check(f"{name}: the histogram of step {event.step}", good)


small = ["--data", "builtin:tales:bytes=50000", "--pos", "learned", "--layers", 1, "--heads", 2, "--width", 8,
         "--context", 16, "--batch", 2, "--threads", 1, "--eval-tokens", 500]
run = path("watched")
bitter("train", *small, "--steps", 60, "--eval-every", 20, "--tensorboard", "--out", run)
compare("a run", run)

killed = path("killed")
steps = 6000
words = [os.environ["BITTER"], "train", *map(str, small), "--steps", str(steps), "--eval-every", "1500", "--save-every",
         "100", "--tensorboard", "--out", killed]
kills, dice = 0, random.Random(1)
for session in range(200):
    before = len(glob.glob(os.path.join(killed, "events.*")))
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    words = [os.environ["BITTER"], "train", "--resume", "--out", killed]
    while process.poll() is None and len(glob.glob(os.path.join(killed, "events.*"))) == before:
        time.sleep(0.001)
    if kills < 12:
        time.sleep(dice.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
    if process.wait() == 0:
        break
    kills += 1
    check(f"kill {kills}: the files are read", read(killed).Tags() is not None)
check("it was killed, and ended", kills >= 3 and process.returncode == 0, f"{kills} kills")
compare("a run that was killed", killed)

both = path("both")
bitter("compare", "learned", "table", *small[:2], *small[4:], "--steps", 20, "--seeds", 1, "--eval-every", 10,
       "--tensorboard", "--out", both)
runs = glob.glob(os.path.join(both, "runs", "learned-*"))
check("compare: a run of each scheme", len(runs) == 1 and len(os.listdir(os.path.join(both, "runs"))) == 2)
compare("compare", runs[0])

bitter("train", *small, "--steps", 2, "--out", path("unwatched"))
check("without --tensorboard there is no file", not glob.glob(path("unwatched/events.*")))
finish()
