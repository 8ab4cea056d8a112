#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is a model better where a text repeats itself, or everywhere? Its loss by how much of what stands before a byte stood there earlier:

    python3 scripts/repeats.py BITTER DATA RUN...

For each byte of windows from DATA's validation text, the longest run of bytes before it is sought that also stands earlier in the window,
the latest where there are several: a model that copies expects what came next there. Prints rows of CSV for each run: its directory, a span
of these lengths, whether the byte is the one that came next before, how many bytes these are and their mean loss in nats. All runs get the
same windows. The first byte of a window is not predicted.
Needs `pip install numpy`.
"""
import os
import shutil
import struct
import sys
import tempfile

from copying import context_of, losses_by_position
import numpy as np

WINDOWS = 400
LENGTHS = (0, 1, 2, 4, 8, 16)  # each span begins with one of these
SHARD = (20240520, 1)


def windows_of(data, T):
    """WINDOWS x (T + 1) bytes, from all over the validation text."""
    path = os.path.join(data, "val_000000.bin")
    tokens = np.memmap(path, np.uint16, "r", offset=1024)
    begin = np.linspace(0, len(tokens) - T - 1, WINDOWS).astype(int)
    return np.stack([tokens[at : at + T + 1] for at in begin])


def repeated_before(window):
    """For each byte but the first, the length of the longest run of bytes that ends before it and also before an earlier one; and whether
    that one, the latest where there are several, is the same byte."""
    N = len(window)
    longest, same = np.zeros(N, int), np.zeros(N, bool)
    run = np.zeros(N, int)  # for each earlier position: how many bytes before it equal the bytes before this byte
    for i in range(1, N):
        run[1:] = np.where(window[:-1] == window[i - 1], run[:-1] + 1, 0)
        longest[i] = run[1:i].max(initial=0)
        if longest[i] > 0:
            same[i] = window[i] == window[np.flatnonzero(run[1:i] == longest[i])[-1] + 1]
    return longest[1:], same[1:]


def losses(bitter, run, window, directory):
    """The loss at each byte but the first: data of one window are evaluated, by position."""
    for split in ("train", "val"):  # eval requires both, and reads the second
        with open(os.path.join(directory, f"{split}_000000.bin"), "wb") as file:
            file.write(struct.pack("<256i", *SHARD, len(window), *[0] * 253) + window.astype("<u2").tobytes())
    return np.array(losses_by_position(bitter, run, directory, directory))


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: python3 scripts/repeats.py BITTER DATA RUN...")
    bitter, data, *runs = sys.argv[1:]
    print("run,repeated,bytes,nats")  # "4 to 7 same": the byte is the one that came next before
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(os.path.join(data, "tokenizer.json"), directory)
        for run in runs:
            T = context_of(run)
            windows = windows_of(data, T)
            repeated, same = (np.stack(found) for found in zip(*map(repeated_before, windows)))
            nats = np.stack([losses(bitter, run, window, directory) for window in windows])
            for least, most in zip(LENGTHS, (*LENGTHS[1:], T + 1)):
                span = f"{least} or more" if most > T else str(least) if most == least + 1 else f"{least} to {most - 1}"
                within = (least <= repeated) & (repeated < most)
                for name, counted in ((span, within), (span + " same", within & same), (span + " other", within & ~same)):
                    if least > 0 or counted is within:  # without a run there is nothing to be the same as
                        print(f"{run},{name},{counted.sum()},{nats[counted].mean():.4f}", flush=True)


if __name__ == "__main__":
    main()
