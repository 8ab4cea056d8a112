# SPDX-License-Identifier: MIT
"""Measure and draw what docs/questions.md tells; scripts/questions.sh calls it:

    python3 scripts/questions.py BITTER NUMBER RUNS DATA RESULTS

RUNS is a comparison of `bitter compare`, with untrained runs in RUNS/start-NAME; DATA its text. Writes into RESULTS, for
question N: the table of each plot (N-a.csv, N-b.csv), N-numbers.csv and the figure N.svg. Needs numpy and matplotlib.
"""
import csv
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

import plot  # says where to get matplotlib, which brings numpy
import numpy as np

if len(sys.argv) != 6:
    sys.exit(__doc__)
bitter, number, directory, data, results = sys.argv[1:]
random = np.random.default_rng(1)


# --- a run, and its forward pass (lesson/plain.c has the same in C, with the backward pass) ---

def layernorm(x, w, b):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-5) * w + b


def gelu(x):
    return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))) / 2


def softmax(x):
    x = np.exp(x - x.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


ANGLES = {  # radians a token of pair i of n
    "rope": lambda i, n: 10000.0 ** (-i / n),
    "linear": lambda i, n: (n - i) / n,
    "one-fast": lambda i, n: 1 + 0 * i,
    "one-slow": lambda i, n: 0.05 + 0 * i,
}
CODES = {  # what is added to channel c of C of the token at t, in a context of T
    "sinusoidal": lambda t, c, C, T: 0.02 * 2 ** 0.5 * np.where(c % 2, np.cos(t * 1e4 ** (-(c - 1) / C)), np.sin(t * 1e4 ** (-c / C))),
    "binary": lambda t, c, C, T: 0.02 * 2 ** 0.5 * (t >> c % (T - 1).bit_length() & 1),
    "normalized": lambda t, c, C, T: t / T + 0 * c,
    "integer": lambda t, c, C, T: t + 0.0 * c,
    "one-channel": lambda t, c, C, T: t * (c < 1.0),
}


class Run:
    """The weights of a run by name, and what they compute. B windows, T tokens, H heads of d channels, C = H d."""

    def __init__(self, path, scheme):
        self.path, self.scheme = path, scheme
        with open(f"{path}/config.json", encoding="utf-8") as file:
            options = json.load(file)["options"]
        self.L, self.H, self.T, self.C = (options[key] for key in ("layers", "heads", "context", "width"))
        self.d = self.C // self.H
        with open(f"{path}/model.safetensors", "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            values = file.read()
        header.pop("__metadata__", None)
        self.w = {name: np.frombuffer(values[slice(*of["data_offsets"])], "<f4").astype(float).reshape(of["shape"])
                  for name, of in header.items()}

    def code(self):
        """(T, C): what the scheme adds to the embeddings."""
        if self.scheme == "learned":
            return self.w["pos.table"]
        t, c = np.arange(self.T)[:, None], np.arange(self.C)
        return CODES[self.scheme](t, c, self.C, self.T) if self.scheme in CODES else np.zeros((self.T, self.C))

    def theta(self, layer):
        """(H, d/2): radians a token by which the scheme turns each pair, or None."""
        pairs = np.arange(self.d // 2)
        if self.scheme == "rope-learned":
            return np.exp(self.w["pos.rho"][layer * self.H:(layer + 1) * self.H])
        return np.tile(ANGLES[self.scheme](pairs, len(pairs)), (self.H, 1)) if self.scheme in ANGLES else None

    def bias(self, layer):
        """(H, T, T) or (H, 1, T): what the scheme adds to the score of each query (all alike: 1) and distance."""
        d, heads = np.arange(self.T), np.arange(self.H)[:, None, None]
        if self.scheme == "alibi":
            return -(2.0 ** (-8 * (heads + 1) / self.H)) * d
        if self.scheme == "table":
            return self.w["pos.bias"][layer * self.H:(layer + 1) * self.H, None]
        if self.scheme == "fire":
            w1, b1, c, most = (self.w["pos." + name][layer] for name in ("w1", "b1", "c", "mult"))
            reach = np.maximum(np.arange(self.T), abs(most) * 512)  # of each query
            ratio = np.log1p(abs(c) * d) / (np.log1p(abs(c) * reach) + 1e-6)[:, None]
            unit = np.maximum(w1 * ratio[..., None] + b1, 0)  # (T, T, hidden)
            return np.einsum("hw,idw->hid", self.w["pos.w2"][layer * self.H:(layer + 1) * self.H], unit) + self.w["pos.b2"][layer][:, None, None]
        return np.zeros((self.H, 1, self.T))

    def forward(self, ids, thetas=None):
        """ids (B, T). Returns states x, a list of (B, T, C): the embedding, then after each attention and each MLP; P, q
        and k, lists by layer of (B, H, T, T) and (B, H, T, d), q and k not yet turned; and logits (B, T, V)."""
        w, T = self.w, ids.shape[1]
        x = w["wte"][ids] + self.code()[:T]
        states, P, queries, keys = [x], [], [], []
        for layer in range(self.L):
            def of(name, kind):
                return w[f"h.{layer}.{name}.{kind}"]
            qkv = layernorm(x, of("ln_1", "weight"), of("ln_1", "bias")) @ of("attn.qkv", "weight").T + of("attn.qkv", "bias")
            q, k, v = (part.reshape(*ids.shape, self.H, self.d).transpose(0, 2, 1, 3) for part in np.split(qkv, 3, -1))
            queries.append(q)
            keys.append(k)
            theta = self.theta(layer) if thetas is None else thetas
            if theta is not None:
                q, k = turn(q, theta), turn(k, theta)
            S = q @ k.transpose(0, 1, 3, 2) / self.d ** 0.5
            distance = np.arange(T)[:, None] - np.arange(T)
            bias = np.broadcast_to(self.bias(layer), (self.H, self.T, self.T))[:, np.arange(T)[:, None], abs(distance)]
            S = np.where(distance >= 0, S + bias, -np.inf)
            P.append(softmax(S))
            heads = (P[-1] @ v).transpose(0, 2, 1, 3).reshape(x.shape)
            x = x + heads @ of("attn.proj", "weight").T + of("attn.proj", "bias")
            states.append(x)
            hidden = layernorm(x, of("ln_2", "weight"), of("ln_2", "bias")) @ of("mlp.fc", "weight").T + of("mlp.fc", "bias")
            x = x + gelu(hidden) @ of("mlp.proj", "weight").T + of("mlp.proj", "bias")
            states.append(x)
        return states, P, queries, keys, layernorm(x, w["ln_f.weight"], w["ln_f.bias"]) @ w["wte"].T

    def loss(self, ids, **changed):
        """The mean loss of windows (B, T + 1), in nats a token."""
        logits = self.forward(ids[:, :-1], **changed)[-1]
        return -np.log(np.take_along_axis(softmax(logits), ids[:, 1:, None], -1)).mean()


def turn(x, theta):
    """x (B, H, T, d): pair i of head h, which is channels i and i + d/2, turned by t theta[h, i]."""
    angle = theta[:, None, :] * np.arange(x.shape[2])[:, None]
    a, b = np.split(x, 2, -1)
    return np.concatenate((a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)), -1)


def runs_of(scheme):
    """Its trained runs, one for each seed."""
    return [Run(path, scheme) for path in sorted(glob.glob(f"{directory}/runs/{scheme}-seed*"))]


def start_of(scheme):
    return Run(f"{directory}/start-{scheme}", scheme)


def windows(count, length):
    """(count, length): consecutive windows of the validation text."""
    with open(sorted(glob.glob(f"{data}/*val*.bin"))[0], "rb") as file:
        tokens = np.frombuffer(file.read(1024 + 2 * count * length)[1024:], "<u2").astype(int)
    return tokens.reshape(-1, length)


def check(schemes):
    """Does the forward pass above compute what the program computes?"""
    for scheme in schemes:
        run = runs_of(scheme)[0]
        with tempfile.TemporaryDirectory() as scratch:
            file = f"{scratch}/logits.npy"
            if subprocess.run([bitter, "eval", run.path, "--context", str(run.T), "--eval-tokens", str(run.T + 1), "--data", data,
                               "--logits", file], check=False, stdout=subprocess.DEVNULL).returncode != 0:
                sys.exit(f"questions.py: `bitter eval {run.path}` failed")
            theirs = np.load(file)
        error = abs(run.forward(windows(1, run.T))[-1][0] - theirs).max()
        if not error <= 2e-3:
            sys.exit(f"questions.py: {run.path}: logits differ from those of `bitter eval --logits` by {error:.2g}")


# --- output ---

panels, numbers = [], []


def panel(draw, title, x, y, names, rows, **axes):
    panels.append((draw, names, rows, {"title": title, "xlabel": x, "ylabel": y, **axes}))


def say(what, values):
    """A number of the text: its mean over seeds, and the smallest and the largest."""
    values = np.atleast_1d(np.asarray(values, float))
    numbers.append([what, values.mean(), values.min(), values.max()])


def interval(values, comparisons):
    """Mean, low and high of the mean of values, one for each seed; all of so many intervals hold at once with 95%."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interval.awk")
    printed = subprocess.run(["awk", "-v", f"m={comparisons}", "-f", script], input="".join(f"seeds {v:.9g}\n" for v in values),
                             check=True, capture_output=True, text=True).stdout.split()
    return [float(printed[0])] + [float(printed[0]) if v == "-" else float(v) for v in printed[1:3]]


def losses():
    """Loss at the trained context by scheme, one for each seed, from results.csv."""
    found = {}
    with open(f"{directory}/results.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["quantity"] == "loss" and row["x"] == row["context"]:
                found.setdefault(row["scheme"], []).append(float(row["value"]))
    return {scheme: np.array(values) for scheme, values in found.items()}


def differences(schemes, reference):
    """The panel of each scheme's loss minus the reference's, in pairs by seed."""
    loss, rows = losses(), []
    for scheme in schemes:
        rows.append([scheme] + interval(loss[scheme] - loss[reference], len(schemes)))
        numbers.append([f"loss of {scheme} - {reference}, and its 95% interval"] + rows[-1][1:])
    panel(plot.intervals, f"Loss above {reference}'s, 95% intervals", "nats a token", "", ["scheme", "difference", "low", "high"], rows)


def write():
    def table(name, names, rows):
        with open(f"{results}/{name}.csv", "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(names)
            out.writerows([cell if isinstance(cell, (str, int)) else f"{cell:.4g}" for cell in row] for row in rows)

    figure, axes = plot.plt.subplots(1, len(panels), figsize=(8, 4.6))
    for place, (draw, names, rows, words), letter in zip(axes, panels, "abc"):
        table(f"{number}-{letter}", names, rows)
        draw(place, names, rows)
        place.set(**words)
    plot.save(figure, f"{results}/{number}.svg")
    table(f"{number}-numbers", ["what", "value", "low", "high"], numbers)
    for row in numbers:
        print("{}: {:.4g} ({:.4g} to {:.4g})".format(*row))
    print(f"figure {results}/{number}.svg")


# --- the questions ---

ALL = ["none", "learned", "sinusoidal", "rope", "alibi"]


def length(x):
    return np.sqrt((x ** 2).sum(-1))


def why_positions():
    check(ALL)
    ids = windows(64, start_of("none").T)
    mixed = np.concatenate((random.permuted(ids[:, :-1], axis=1), ids[:, -1:]), 1)
    equal = np.repeat(np.arange(ord("a"), ord("z") + 1)[:, None], ids.shape[1], 1)
    places = ["equal tokens:\nlast or first", "shuffled,\nafter layer 1", "shuffled,\nafter layer 2"]
    rows = [[place] for place in places]
    for scheme in ALL:
        changes = []
        for run in runs_of(scheme):
            line, whole, parts = (run.forward(text)[0] for text in (equal, ids, mixed))
            changes.append([(length(line[-1][:, -1] - line[-1][:, 0]) / length(line[-1][:, 0])).mean()] +
                           [(length(parts[s][:, -1] - whole[s][:, -1]) / length(whole[s][:, -1])).mean() for s in (2, 4)])
        for row, place, values in zip(rows, places, np.array(changes).T):
            row.append(values.mean())
            say(f"{scheme}, {place}: relative change of a token's state".replace("\n", " "), values)
    panel(plot.bars, "How much a token's state changes", "", "change / length of the state", ["what changes"] + ALL, rows)
    differences([scheme for scheme in ALL if scheme != "rope"], "rope")


def directions(x, count):
    """(count, C): the directions in which the rows of x vary most."""
    return np.linalg.svd(x - x.mean(0), full_matrices=False)[2][:count]


def separate():
    check(["learned", "sinusoidal"])
    k, T, C = 8, start_of("none").T, start_of("none").C
    ids = windows(128, T)
    used = np.unique(ids)
    table = {}
    for scheme in ("learned", "sinusoidal"):
        for kind, runs in (("trained", runs_of(scheme)), ("untrained", [start_of(scheme)])):
            angles, shares = [], []
            for run in runs:
                words, code = directions(run.w["wte"][used], k), run.code()
                angles.append(np.degrees(np.arccos(np.clip(np.linalg.svd(words @ directions(code, k).T, compute_uv=False), 0, 1))))
                code = code - code.mean(0)
                shares.append(((code @ words.T) ** 2).sum() / (code ** 2).sum())
            table[f"{scheme}, {kind}"] = np.mean(angles, 0)
            say(f"{scheme}, {kind}: smallest angle in degrees", [a[0] for a in angles])
            say(f"{scheme}, {kind}: mean angle in degrees", [a.mean() for a in angles])
            say(f"{scheme}, {kind}: share of the codes' variance in the words' {k} directions", shares)
    drawn = [np.linalg.svd(directions(random.normal(size=(C, C)), k) @ directions(random.normal(size=(C, C)), k).T, compute_uv=False)
             for _ in range(200)]
    table["chance"] = np.degrees(np.arccos(np.clip(drawn, 0, 1))).mean(0)
    say("chance: smallest angle in degrees", table["chance"][0])
    say("chance: mean angle in degrees", table["chance"].mean())
    say(f"chance: share in {k} directions", k / C)
    panel(plot.lines, f"Angles between {k} directions of\nwords and {k} of positions", "principal angle", "degrees",
          ["angle"] + list(table), [[i + 1] + [float(v[i]) for v in table.values()] for i in range(k)])

    places = ["embed", "attn 1", "MLP 1", "attn 2", "MLP 2"]
    rows = [[place] for place in places]
    guess = abs(np.arange(T) - (T - 1) / 2).mean()
    lines = [(scheme, runs_of(scheme)) for scheme in ALL] + [("learned, untrained", [start_of("learned")])]
    for name, runs in lines:
        errors = np.array([[probe(x) for x in run.forward(ids)[0]] for run in runs])
        for row, place, values in zip(rows, places, errors.T):
            row.append(values.mean())
            say(f"{name}, {place}: probe's error in tokens", values)
    say("guessing the middle: error in tokens", guess)
    panel(plot.lines, "Linear probe: which position is it?", "after this part of the model", "mean error in tokens", ["state"] + [n for n, _ in lines] + ["guess"],
          [row + [guess] for row in rows], ylim=(0, None))


def probe(x):
    """x (B, T, C): how far a linear map of x misses t, on windows that it was not fitted to."""
    B, T, C = x.shape
    x = np.concatenate((x / x.std(), np.ones((B, T, 1))), -1)
    t, half = np.arange(T, dtype=float), B // 2
    seen = x[:half].reshape(-1, C + 1)
    weights = np.linalg.solve(seen.T @ seen + 1e-3 * np.eye(C + 1), seen.T @ np.tile(t, half))
    return abs(x[half:] @ weights - t).mean()


def sinusoids(vectors, frequencies=np.linspace(0.01, np.pi, 600)):
    """R^2 of the best single sinusoid with a constant, for each column of vectors (T, n)."""
    t = np.arange(len(vectors))
    best = np.zeros(vectors.shape[1])
    whole = ((vectors - vectors.mean(0)) ** 2).sum(0)
    for w in frequencies:
        basis = np.linalg.qr(np.stack((np.ones(len(t)), np.cos(w * t), np.sin(w * t)), 1))[0]
        best = np.maximum(best, 1 - ((vectors - basis @ (basis.T @ vectors)) ** 2).sum(0) / whole)
    return best


def spectrum_of_tables():
    check(["learned"])
    T, C, count = start_of("learned").T, start_of("learned").C, 6
    k, t = np.arange(1, T), np.arange(T)
    cosines = np.sqrt(2 / T) * np.cos(np.pi * k[:, None] * (t + 0.5) / T)  # DCT-II: k half waves in the window
    tables = {
        "learned": [run.code() for run in runs_of("learned")],
        "sinusoidal": [start_of("sinusoidal").code()],
        "learned, untrained": [start_of("learned").code()],
        "random walk": [random.normal(size=(T, C)).cumsum(0) for _ in range(20)],
    }
    power, fits = {}, {}
    for name, codes in tables.items():
        codes = [code - code.mean(0) for code in codes]
        shares = [(lambda p: p / p.sum())(((cosines @ code) ** 2).sum(1)) for code in codes]
        power[name] = np.mean(shares, 0)
        say(f"{name}: share of variance in the 8 lowest of {T - 1} frequencies", [s[:8].sum() for s in shares])
        parts = [np.linalg.svd(code, full_matrices=False) for code in codes]
        say(f"{name}: share of variance in the first wave", [s[0] ** 2 / (s ** 2).sum() for _, s, _ in parts])
        waves = [sinusoids(u[:, :count]) for u, _, _ in parts]
        fits[name] = np.mean(waves, 0)
        for i in range(count):
            say(f"{name}: R2 of one sinusoid, wave {i + 1}", [w[i] for w in waves])
    panel(plot.lines, "Spectrum over positions", "cycles in the window", "share of variance", ["cycles"] + list(power),
          [[float(k[i]) / 2] + [float(v[i]) for v in power.values()] for i in range(T - 1)], xscale="log", yscale="log", ylim=(1e-4, 1))
    panel(plot.lines, "Is a wave of the table a sinusoid?", "wave (singular vector)", "R² of one sinusoid", ["wave"] + list(fits),
          [[i + 1] + [float(v[i]) for v in fits.values()] for i in range(count)], ylim=(0, 1.05))


def frequencies():
    schemes = ["rope", "linear", "one-fast", "one-slow"]
    check(schemes)
    run = start_of("rope")
    i, n, d = np.arange(run.d // 2), run.d // 2, np.arange(run.T)
    kernels = {s: np.cos(np.outer(d, ANGLES[s](i, n))).mean(1) for s in schemes}
    for s in schemes:
        say(f"{s}: largest similarity at a distance of 4 or more tokens", kernels[s][4:].max())
    panel(plot.lines, "Two equal vectors, turned:\nmean cosine over the pairs", "distance in tokens", "similarity", ["distance"] + schemes,
          [[int(x)] + [float(kernels[s][x]) for s in schemes] for x in d])
    differences(schemes[1:], "rope")


def low_frequencies():
    check(["rope"])
    start, runs = start_of("rope"), runs_of("rope")
    n, T = start.d // 2, start.T
    theta = ANGLES["rope"](np.arange(n), n)
    ids = windows(64, T + 1)

    def norms(run):
        """(L, 2, H, n): root mean square length of each pair of q and k."""
        _, _, q, k, _ = run.forward(ids[:, :-1])
        return np.array([[np.sqrt((x[..., :n] ** 2 + x[..., n:] ** 2).mean((0, 2))) for x in pair] for pair in zip(q, k)])

    slow = 2 * np.pi / theta > T
    say(f"share of pairs that turn less than once in {T} tokens", slow.mean())
    trained, untrained = [norms(run) for run in runs], norms(start)
    for name, found in (("trained", trained), ("untrained", [untrained])):
        for layer in range(start.L):
            products = [x[layer].prod(0).sum(0) for x in found]  # |q| |k|, over heads
            say(f"{name}, layer {layer + 1}: share of |q||k| in these pairs", [p[slow].sum() / p.sum() for p in products])
    mean = np.mean(trained, 0).mean(2)
    lines = [f"{x}, layer {layer + 1}" for layer in range(start.L) for x in ("queries", "keys")]
    panel(plot.lines, "Length of queries and keys by pair", "pair (0 turns fastest)", "root mean square length", ["pair"] + lines + ["untrained"],
          [[i] + [float(v) for v in mean[:, :, i].ravel()] + [float(untrained[..., i].mean())] for i in range(n)], ylim=(0, None))
    costs, only = [], []
    for run in runs:
        whole = run.loss(ids)
        still = [np.tile(np.where(np.arange(n) == i, 0, theta), (run.H, 1)) for i in range(n)]
        costs.append([run.loss(ids, thetas=thetas) - whole for thetas in still])
        only.append([run.loss(ids, thetas=np.tile(np.where(turned, theta, 0), (run.H, 1))) - whole for turned in (~slow, slow)])
    say("loss when none of these pairs is turned, minus the loss", np.array(only)[:, 0])
    say("loss when only these pairs are turned, minus the loss", np.array(only)[:, 1])
    for i in range(n):
        say(f"loss when pair {i} (once in {2 * np.pi / theta[i]:.3g} tokens) is not turned, minus the loss", [c[i] for c in costs])
    panel(plot.lines, "Loss when one pair is not turned", "pair (0 turns fastest)", "nats a token above the loss", ["pair"] + ["trained"],
          [[i, float(np.mean(costs, 0)[i])] for i in range(n)])


def ranks(x):
    return np.argsort(np.argsort(x))


def decay():
    check(ALL)
    T = start_of("none").T
    ids, first = windows(64, T), 3 * T // 4
    d = np.arange(first + 1)
    curves, heads = {}, {}

    def attended(run):
        """(L H, first + 1): mean attention of late queries by distance, over that of an even share."""
        P = np.array([p.mean(0) for p in run.forward(ids)[1]]).reshape(-1, T, T)
        return np.mean([P[:, t, t - d] * (t + 1) for t in range(first, T)], 0)

    for name, runs in [(s, runs_of(s)) for s in ALL] + [("rope, untrained", [start_of("rope")])]:
        found = [attended(run) for run in runs]
        curves[name] = np.mean(found, (0, 1))
        heads[name] = np.mean(found, 0)
        for at in (0, 1, 8, 32):
            say(f"{name}: attention at distance {at}, in even shares", [f.mean(0)[at] for f in found])
        falls = [[np.corrcoef(ranks(head), d)[0, 1] < -0.9 for head in f] for f in found]
        say(f"{name}: share of heads whose attention falls (rank correlation below -0.9)", [np.mean(f) for f in falls])
    panel(plot.lines, "Mean over heads", "distance in tokens", "attention / even share", ["distance"] + list(curves),
          [[int(x)] + [float(v[x]) for v in curves.values()] for x in d], yscale="log")
    one = attended(runs_of("rope")[0])
    names = [f"layer {i // start_of('rope').H + 1}, head {i % start_of('rope').H + 1}" for i in range(len(one))]
    panel(plot.lines, "The heads of one model with rope", "distance in tokens", "attention / even share", ["distance"] + names,
          [[int(x)] + [float(v) for v in one[:, x]] for x in d], yscale="log")


def integers():
    schemes = ["integer", "one-channel", "normalized", "binary", "sinusoidal"]
    check(schemes)
    rows = []
    ids = np.unique(windows(128, start_of("none").T))
    for scheme in schemes:
        shares = []
        for run in [start_of(scheme)]:
            x = layernorm(run.w["wte"][ids][None] + run.code()[:, None], 1, 0)  # (T, tokens, C)
            place, word = x.mean(1, keepdims=True) - x.mean((0, 1)), x.mean(0, keepdims=True) - x.mean((0, 1))
            whole = ((x - x.mean((0, 1))) ** 2).sum(-1).mean()
            shares.append([(part ** 2).sum(-1).mean() / whole for part in (word, place)])
        rows.append([scheme.replace("-", "-\n").replace("normalized", "normal-\nized").replace("sinusoidal", "sinu-\nsoidal")] + [float(v) for v in np.mean(shares, 0)])
        say(f"{scheme}: share of the variance after layer norm that the token alone makes", np.mean(shares, 0)[0])
        say(f"{scheme}: share that the position alone makes", np.mean(shares, 0)[1])
        code = run.code()
        steps = length(np.diff(code, axis=0))
        say(f"{scheme}: largest step from one code to the next / smallest", steps.max() / steps.min())
    panel(plot.bars, "What the first layer sees, untrained", "", "share of variance", ["scheme", "token", "position"], rows, ylim=(0, 1))
    differences(schemes, "none")


FAMILIES = ["line", "logarithm", "Gaussian", "Gabor"]


def fit(y, weights):
    """(R^2, waves) of each family's best fit to y over distances; a Gabor has so many waves within a standard deviation of
    its centre on both sides."""
    d = np.arange(len(y), dtype=float)
    root = np.sqrt(weights)
    whole = (weights * (y - np.average(y, weights=weights)) ** 2).sum()

    def best(bases):
        found = (-1.0, None)
        for waves, basis in bases:
            columns = np.stack([np.ones(len(d))] + basis, 1)
            curve = columns @ np.linalg.lstsq(columns * root[:, None], y * root, rcond=None)[0]
            found = max(found, (1 - (weights * (y - curve) ** 2).sum() / whole, waves))
        return found

    def envelope(centre, width):
        return np.exp(-((d - centre) / width) ** 2 / 2)

    centres, widths = np.linspace(0, len(d) / 2, 9), np.geomspace(1, len(d), 10)
    return {
        "line": best([(0, [d])]),
        "logarithm": best((0, [np.log1p(b * d)]) for b in np.geomspace(0.01, 100, 30)),
        "Gaussian": best((0, [envelope(m, s)]) for m in centres for s in widths),
        "Gabor": best((w * s / np.pi, [envelope(m, s) * np.cos(w * d), envelope(m, s) * np.sin(w * d)])
                      for m in centres for s in widths for w in np.geomspace(0.05, np.pi, 16)),
    }


def filters():
    schemes = ["table", "fire", "rope-learned"]
    check(schemes)
    T = start_of("table").T
    d, ids = np.arange(T), windows(32, T)
    weights = (T - d) / T  # how often training sees each distance
    rows, shown = [], []
    groups = [("table", runs_of("table"))]  # the table starts from zeros
    for scheme, short in (("fire", "fire"), ("rope-learned", "rope-l.")):
        groups += [(short, runs_of(scheme)), (f"{short}\nat start", [start_of(scheme)])]
    for name, runs in groups:
        found, waves = {family: [] for family in FAMILIES}, []
        for run in runs:
            fits = []
            _, _, q, k, _ = run.forward(ids)
            for layer in range(run.L):
                for head in range(run.H):
                    if run.scheme == "rope-learned":  # the score of the mean query and the mean key at each distance
                        theta = run.theta(layer)[head:head + 1]
                        mean_q, mean_k = (np.tile(x[layer][:, head].mean((0, 1)), (1, 1, T, 1)) for x in (q, k))
                        y = (turn(mean_q, theta)[0, 0] * mean_k[0, 0, :1]).sum(-1) / run.d ** 0.5
                    else:
                        y = run.bias(layer)[head, -1]
                    fits.append(fit(y, weights))
                    if run.scheme == "table" and len(shown) < run.L * run.H:
                        shown.append(y - y[:48].mean())
            for family in FAMILIES:
                found[family].append(np.median([f[family][0] for f in fits]))
            waves += [f["Gabor"][1] >= 1 for f in fits]
        rows.append([name] + [float(np.mean(found[family])) for family in FAMILIES])
        name = name.replace("\n", " ").replace("rope-l.", "rope-learned")
        for family in FAMILIES:
            say(f"{name}: median over heads of R2 of a {family}", found[family])
        say(f"{name}: share of heads whose Gabor has a whole wave within a standard deviation on both sides", np.mean(waves))
        if runs[0].scheme == "rope-learned":
            theta = [np.concatenate([run.theta(layer) for layer in range(run.L)]) for run in runs]
            say(f"{name}: share of frequencies above 1/10", [(x > 0.1).mean() for x in theta])
            say(f"{name}: largest frequency in radians a token", [x.max() for x in theta])
    noise = [fit(random.normal(size=T), weights) for _ in range(20)]
    rows.append(["noise"] + [float(np.median([f[family][0] for f in noise])) for family in FAMILIES])
    for family, value in zip(FAMILIES, rows[-1][1:]):
        say(f"noise: median of R2 of a {family}", value)
    H = start_of("table").H
    names = [f"layer {i // H + 1}, head {i % H + 1}" for i in range(len(shown))]
    panel(plot.lines, "The table's filters, one model", "distance in tokens", "bias of the score, from its mean", ["distance"] + names,
          [[int(x)] + [float(y[x]) for y in shown] for x in d[:48]])
    panel(plot.bars, "Fits: median over heads", "", "R²", ["scheme"] + FAMILIES, rows, ylim=(0, 1))


{"1": why_positions, "2": separate, "3": spectrum_of_tables, "4": frequencies, "5": low_frequencies, "6": decay, "7": integers,
 "8": filters}[number]()
write()
