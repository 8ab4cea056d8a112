#!/usr/bin/env python3
"""Tokenizers beside tiktoken and Hugging Face's tokenizers: the same ids for the same text.

    python tests/interop/tokenizers.py BITTER [SHARED]

BITTER is the program; SHARED is the directory with data/gpt2-encoder.json and so on (../shared of the repository).
Needs the Python packages tiktoken and tokenizers. Prints a line for each check; exit code 1 if one failed.
"""
import os
import struct
import subprocess
import sys
import tempfile
import unicodedata

# This file has the name of one of the packages.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
import tiktoken
from tiktoken.load import data_gym_to_mergeable_bpe_ranks
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
bitter = os.path.abspath(sys.argv[1])
shared = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(root, "..", "shared"))
passed = failed = skipped = 0


def check(name, ok, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(("ok: " if ok else "FAILED: ") + name + ("" if ok or not detail else f" ({detail})"), flush=True)


def skip(name, why):
    global skipped
    skipped += 1
    print(f"skipped: {name} ({why})", flush=True)


def run(*words):
    done = subprocess.run([bitter, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"bitter {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def prepared(directory):
    """The tokens of a data directory, training and validation."""
    ids = []
    for split in ("train", "val"):
        with open(os.path.join(directory, f"{split}_000000.bin"), "rb") as file:
            header = struct.unpack("<256i", file.read(1024))
            ids += struct.unpack(f"<{header[2]}H", file.read())
    return ids


def bitter_ids(tokenizer, data, name):
    """The ids of the bytes, without the end of the document; and the data directory."""
    with open(name + ".txt", "wb") as file:
        file.write(data)
    run("prepare", "--raw", "--force", "--tokenizer", tokenizer, "--out", name, name + ".txt")
    ids = prepared(name)
    return ids[:-1], ids[-1]


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"first at token {i}: {a[i - 2:i + 4]} instead of {b[i - 2:i + 4]}"
    return f"{len(a)} tokens instead of {len(b)}"


def compare(name, ids, expected):
    check(f"{name}: {len(expected)} tokens", ids == expected, first_difference(ids, expected) if ids != expected else "")


def read(path):
    if path.endswith(".gz"):
        import gzip

        with gzip.open(path, "rb") as file:
            return file.read()
    with open(path, "rb") as file:
        return file.read()


def all_characters():
    """Every character that Python's Unicode assigns, between letters, spaces and digits."""
    parts = []
    for code in range(1, 0x110000):
        c = chr(code)
        if unicodedata.category(c) in ("Cn", "Cs", "Co"):
            continue
        parts.append(f"a{c}b {c}{c} 1{c} {c}\n")
    return "".join(parts)


def texts():
    found = {}
    for name in ("war-and-peace.txt.gz", "tinyshakespeare.txt"):
        path = os.path.join(shared, "data", name)
        if os.path.exists(path):
            found[name.split(".")[0]] = read(path).decode()
        else:
            skip(name, f"there is no {path}; tests/README.md says where to get it")
    found["writing"] = read(os.path.join(here, "writing.txt")).decode()
    found["characters"] = all_characters()
    found["spaces"] = " " * 300000 + "x" + "\n" * 1001 + "\t "
    found["letters"] = "ab" * 100000
    return found


# What surrounds bytes that are not UTF-8 is text; tiktoken cannot be given such bytes, but decodes them.
broken = [b"\xff\xfe\x00abc", b"caf\xe9 au lait", b"a\xc3", b"\xe2\x82", b"x\x80\x80\x80y", bytes(range(256)) * 3]


def test_gpt2(all_texts):
    vocabulary, merges = (os.path.join(shared, "data", name) for name in ("gpt2-encoder.json", "gpt2-vocab.bpe"))
    if not os.path.exists(vocabulary) or not os.path.exists(merges):
        return skip("GPT-2's tokenizer", f"there is no {vocabulary} or {merges}; tests/README.md says where to get them")
    ranks = data_gym_to_mergeable_bpe_ranks(merges, vocabulary)
    pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    encoding = tiktoken.Encoding(name="gpt2", pat_str=pattern, mergeable_ranks=ranks,
                                 special_tokens={"<|endoftext|>": 50256}, explicit_n_vocab=50257)
    os.mkdir("gpt2")
    os.symlink(vocabulary, "gpt2/encoder.json")
    os.symlink(merges, "gpt2/vocab.bpe")
    for name, text in all_texts.items():
        expected = encoding.encode_ordinary(text)
        ids, end = bitter_ids("gpt2", text.encode(), "gpt2-" + name)
        compare(f"GPT-2, {name}, beside tiktoken", ids, expected)
        check(f"GPT-2, {name}: the document ends with 50256", end == 50256)
    theirs = Tokenizer.from_file("gpt2-writing/tokenizer.json")
    for name, text in all_texts.items():
        ids = theirs.encode(text.replace("<|endoftext|>", ""), add_special_tokens=False).ids
        compare(f"its tokenizer.json, {name}, read by tokenizers", ids,
                encoding.encode_ordinary(text.replace("<|endoftext|>", "")))
    check("tokenizers knows the end of a document", theirs.token_to_id("<|endoftext|>") == 50256)
    for i, data in enumerate(broken):
        ids, _ = bitter_ids("gpt2", data * 20, f"broken-{i}")
        check(f"bytes that are not UTF-8 come back, case {i}", encoding.decode_bytes(ids) == data * 20)


def trained_by_tokenizers(text, size):
    """What BpeTrainer makes of the text; the end of a document comes last."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size - 1, min_frequency=2, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    # In one piece: by default a text is a line, and a line's end would be separated from what follows.
    tokenizer.train_from_iterator([text], trainer)
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def test_trained(all_texts):
    for source, size in (("war-and-peace", 4096), ("tinyshakespeare", 1000), ("writing", 600), ("letters", 300)):
        if source not in all_texts:
            skip(f"bpe:{size} of {source}", "its text is missing")
            continue
        text = all_texts[source].replace("<|endoftext|>", "")
        ids, end = bitter_ids(f"bpe:{size}", text.encode(), f"trained-{source}")
        directory = f"trained-{source}"
        mine = Tokenizer.from_file(directory + "/tokenizer.json")
        compare(f"bpe:{size} of {source}, read by tokenizers", ids, mine.encode(text).ids)
        check(f"bpe:{size} of {source}: decoded by tokenizers, the text is the same", mine.decode(ids) == text)
        check(f"bpe:{size} of {source}: the last id ends a document",
              end == mine.get_vocab_size() - 1 == mine.token_to_id("<|endoftext|>"))
        other = all_texts["writing"].replace("<|endoftext|>", "")
        ids, _ = bitter_ids(directory, other.encode(), directory + "-writing")
        compare(f"bpe:{size} of {source}, other text", ids, mine.encode(other).ids)
        theirs = trained_by_tokenizers(text, size)
        check(f"bpe:{size} of {source}: the vocabulary is that of BpeTrainer", mine.get_vocab() == theirs.get_vocab(),
              f"{len(set(mine.get_vocab().items()) - set(theirs.get_vocab().items()))} tokens differ")
        theirs.save(directory + "-theirs.json")
        ids, _ = bitter_ids(directory + "-theirs.json", text.encode(), directory + "-theirs")
        compare(f"BpeTrainer's tokenizer.json of {source}", ids, theirs.encode(text).ids)


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    everything = texts()
    test_gpt2(everything)
    test_trained(everything)
    os.chdir(root)
print(f"tokenizers: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
