#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bitter in turn with the programs that others would use: bench_peers.py sample|eval|prepare BITTER ...

Prints a row of a table: what is measured, bitter's figure, the peer's, and the quotient; each is the median of ROUNDS
rounds. scripts/bench_peers.sh makes the model and says what makes the comparison fair. Needs llama-cpp-python; or torch
and transformers; or tokenizers; and numpy.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS", "3"))
THREADS = int(os.environ.get("THREADS", os.cpu_count()))
PROMPT = "Once upon a time"


def run(*words):
    """Seconds, largest memory in bytes, and output of a command."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in words], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"{' '.join(map(str, words))} failed")
        out.seek(0)
        return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), out.read().decode()


def in_turn(mine, theirs):
    """The medians of both."""
    pairs = [(mine(), theirs()) for _ in range(ROUNDS)]
    return [statistics.median(side) for side in zip(*pairs)]


def row(what, mine, theirs, quotient, asked, note):
    print(f"| {what:<31} | {mine:>10} | {theirs:>10} | {quotient:>8.2f} | {asked:>5} | {note} |", flush=True)


def sample(bitter, model, gguf, tokens=600, context=1024):
    import llama_cpp as llama

    peer = llama.Llama(gguf, n_ctx=context, n_threads=THREADS, n_threads_batch=THREADS, type_k=llama.GGML_TYPE_F32,
                       type_v=llama.GGML_TYPE_F32, flash_attn=False, verbose=False)
    greedy = llama.llama_sampler_init_greedy()
    texts = {}

    def feed(ids):
        array = (llama.llama_token * len(ids))(*ids)
        if llama.llama_decode(peer.ctx, llama.llama_batch_get_one(array, len(ids))):
            raise SystemExit("llama.cpp cannot compute this model")
        return llama.llama_sampler_sample(greedy, peer.ctx, -1)

    def theirs():
        llama.llama_memory_clear(llama.llama_get_memory(peer.ctx), True)
        ids = [feed(peer.tokenize(PROMPT.encode(), add_bos=True))]  # bitter also begins with the end of a document
        start = time.perf_counter()
        for _ in range(tokens):
            ids.append(feed(ids[-1:]))
        seconds = time.perf_counter() - start
        end = peer.token_eos()
        texts["theirs"] = b"".join(b"\n\n" if i == end else peer.detokenize([i]) for i in ids).decode(errors="replace")
        return tokens / seconds

    def mine():
        def of(count):
            return run(bitter, "sample", model, PROMPT, "--threads", THREADS, "--tokens", count, "--context", context,
                       "--temperature", 0)

        few, (seconds, _, text) = of(1), of(tokens + 1)
        texts["mine"] = text[len(PROMPT):-1]
        return tokens / (seconds - few[0])

    theirs()  # warm up
    mine, theirs = in_turn(mine, theirs)
    same = os.path.commonprefix(list(texts.values()))
    row("sample, tokens/s", f"{mine:.0f}", f"{theirs:.0f}", mine / theirs, "1.0",
        f"llama.cpp, llama-cpp-python {llama.__version__}; the same text: first {len(same)} of {len(texts['mine'])} bytes")


def evaluate(bitter, model, hf, shard, windows=7, context=4096):
    import numpy as np
    import torch
    import transformers

    torch.set_num_threads(THREADS)
    transformers.utils.logging.disable_progress_bar()
    peer = transformers.AutoModelForCausalLM.from_pretrained(hf, attn_implementation="sdpa", dtype=torch.float32).eval()
    ids = np.fromfile(shard, dtype="<u2")[512:][: windows * context + 1]  # after the header of 1024 bytes
    ids = torch.from_numpy(ids.astype(np.int64))
    nats = {}

    def theirs():
        total, start = 0.0, time.perf_counter()
        with torch.inference_mode():
            for at in range(0, windows * context, context):
                logits = peer(ids[None, at : at + context], use_cache=False).logits[0]
                total += torch.nn.functional.cross_entropy(logits, ids[at + 1 : at + context + 1]).item()
        nats["theirs"] = total / windows
        return windows * context / (time.perf_counter() - start)

    def mine():
        def of(count):
            return run(bitter, "eval", model, "--threads", THREADS, "--context", context, "--eval-tokens",
                       count * context + 1)

        one, (all_, _, text) = of(1), of(windows)
        nats["mine"] = float(next(line.split()[3] for line in text.splitlines() if line.split()[:1] == [str(context)]))
        return (windows - 1) * context / (all_ - one[0])

    theirs()  # warm up
    mine, theirs = in_turn(mine, theirs)
    row(f"eval, context {context}, tokens/s", f"{mine:.0f}", f"{theirs:.0f}", mine / theirs, "2.0",
        f"transformers {transformers.__version__}, PyTorch {torch.__version__}, SDPA; "
        f"nats {nats['mine']:.4f} and {nats['theirs']:.4f}")


def pieces(text, size=4096):
    """The text in pieces that end with lines: fewer characters, or many more, are slower."""
    with open(text, encoding="utf-8", newline="") as file:
        while part := file.read(size):
            yield part + file.readline()


def write_text(shard, out):
    """The text of a shard of bytes, without the ends of documents."""
    import numpy as np

    ids = np.fromfile(shard, dtype="<u2")[512:]
    ids[ids < 256].astype(np.uint8).tofile(out)


def tokenizers_prepare(text, out):
    """What `bitter prepare --tokenizer bpe:4096` does, with Hugging Face's tokenizers, on all cores."""
    import numpy as np
    import tokenizers
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer, count, batch = Tokenizer(models.BPE()), 0, []
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(pieces(text), trainers.BpeTrainer(
        vocab_size=4096, special_tokens=["<|endoftext|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))

    def write(file):
        ids = [np.array(encoding.ids, dtype="<u2") for encoding in tokenizer.encode_batch_fast(batch)]
        file.write(b"".join(part.tobytes() for part in ids))
        batch.clear()
        return sum(map(len, ids))

    with open(out, "wb") as file:
        for piece in pieces(text):
            batch.append(piece)
            if len(batch) == 2048:
                count += write(file)
        count += write(file)
    print(tokenizers.__version__, count)


def prepare(bitter, text, scratch):
    size, memory, tokens = os.path.getsize(text), {}, {}

    def mine():
        seconds, memory["mine"], out = run(bitter, "prepare", "--tokenizer", "bpe:4096", "--force", "--out",
                                           os.path.join(scratch, f"bpe-{time.monotonic_ns()}"), text)
        tokens["mine"] = sum(int(line.split()[1]) for line in out.splitlines() if "shards:" in line)
        return seconds

    def theirs():
        seconds, memory["theirs"], out = run(sys.executable, __file__, "tokenizers", text, os.path.join(scratch, "bin"))
        tokens["version"], tokens["theirs"] = out.split()
        return seconds

    mine, theirs = in_turn(mine, theirs)
    row(f"prepare bpe:4096, {size / 1e6:.0f} MB, s", f"{mine:.2f}", f"{theirs:.1f}", theirs / mine, "1.0",
        f"tokenizers {tokens['version']}; {tokens['mine']} and {tokens['theirs']} tokens")
    share = {who: of / size for who, of in memory.items()}
    row("  its memory, x the text", f"{share['mine']:.2f}", f"{share['theirs']:.2f}", share["theirs"] / share["mine"],
        "<= 3", "asked of bitter's")


def main():
    commands = {"sample": sample, "eval": evaluate, "prepare": prepare, "tokenizers": tokenizers_prepare,
                "text": write_text}
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
