# What the scripts of this folder share: small runs, and counts of passed and failed checks. Each script is run by
# scripts/interop.sh, with BITTER (the program) and BITTER_SCRATCH (a directory) in the environment.
import os
import subprocess
import sys

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"

PROMPT = "The old man said"
TRAINED = 160  # tokens of a window in training: a prompt and 100 more fit in
LAYERS, HEADS, WIDTH = 2, 2, 64

scratch = os.environ["BITTER_SCRATCH"]
results = {True: 0, False: 0}


def check(name, good, detail=""):
    results[bool(good)] += 1
    print(f"{'passed' if good else 'FAILED'}: {name}{' ' if detail else ''}{detail}", flush=True)


def finish():
    print(f"{results[True]} passed, {results[False]} failed")
    sys.exit(results[False] > 0)


def path(name):
    return os.path.join(scratch, name)


def bitter(*words, fails=False):
    """What the command prints; its standard error, if it should fail because of its input."""
    done = subprocess.run([os.environ["BITTER"], *map(str, words)], capture_output=True)
    if done.returncode != (2 if fails else 0):
        raise SystemExit(f"bitter {' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stderr if fails else done.stdout


def writings():
    """A text of several writing systems, 100 kB."""
    words = "The old man said that she ran naïve Straße Ελλάδα слово 日本語 한국어 नमस्ते שלום مرحبا ไทย 🙂 🇬🇷 2024 don't".split()
    text, state = [], 1
    while len(text) < 15000:
        state = state * 6364136223846793005 + 1442695040888963407 & 2**64 - 1
        text.append(words[(state >> 33) ** 2 % (len(words) * 7) // 7] + ("\n" if state >> 60 == 0 else " "))
    return "".join(text)


def data(tokenizer="bytes"):
    """Tokens of little stories for bytes, and of `writings` for other tokenizers."""
    name = path("data-" + tokenizer.replace(":", ""))
    if not os.path.exists(name):
        text = "builtin:tales:bytes=200000"
        if tokenizer != "bytes":
            text = path("writings.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write(writings())
        bitter("prepare", "--tokenizer", tokenizer, "--out", name, text)
    return name


def train(name, scheme, *words, heads=HEADS, tokenizer="bytes", steps=100):
    """A small model of the scheme, trained for some steps, so that nothing in it is symmetric; words are options."""
    run = path(name)
    if not os.path.exists(run):
        bitter("train", "--data", data(tokenizer), "--pos", scheme, "--layers", LAYERS, "--heads", heads, "--width",
               WIDTH // 2 * heads, "--context", TRAINED, "--batch", 4, "--steps", steps, "--warmup", 10, "--lr", "3e-3",
               "--eval-every", 0, "--eval-tokens", 200, "--save-every", 0, "--threads", 1, "--out", run, *words)
    return run


def extend(run, name, *words):
    out = path(name)
    if not os.path.exists(out):
        bitter("extend", run, "--out", out, "--threads", 1, *words)
    return out


def export(run, to):
    out = f"{run}.{to}"
    if not os.path.exists(out):
        bitter("export", run, "--to", to, "--out", out)
    return out


def tokens(count, tokenizer="bytes"):
    """The first tokens of the validation text, whose logits `logits` has."""
    shard = np.fromfile(os.path.join(data(tokenizer), "val_000000.bin"), dtype="<u2")
    return shard[512 : 512 + count].astype(np.int64)


def logits(run, count, tokenizer="bytes"):
    file = path("logits.npy")
    bitter("eval", run, "--data", data(tokenizer), "--context", count, "--eval-tokens", count + 1, "--logits", file,
           "--threads", 1)
    return np.load(file)


def greedy(run, count=100, prompt=PROMPT):
    """The text that `bitter sample` writes after the prompt, without the newline that ends its output."""
    text = bitter("sample", run, "--prompt", prompt, "--tokens", count, "--temperature", 0, "--threads", 1)
    return text[len(prompt.encode()) : -1]
