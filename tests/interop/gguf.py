# Every scheme that `bitter export --to gguf` takes: gguf's own reader finds the weights in the file; llama.cpp cuts a
# prompt into the same tokens, computes the same logits, and completes the prompt with the same 100 tokens.
import os

import gguf

from common import *

try:
    import llama_cpp
except ImportError:
    llama_cpp = None
    print("skipped: llama.cpp, because llama-cpp-python is not installed")

# llama.cpp looks GELU up in a table of half precision, so its logits differ by more than those of transformers.
MOST = 4e-3


def read(name, run):
    reader = gguf.GGUFReader(os.path.join(export(run, "gguf"), "model.gguf"))
    tensors = {t.name: t for t in reader.tensors}
    embeddings = tensors["token_embd.weight"].data
    architecture = reader.get_field("general.architecture").contents()
    blocks = reader.get_field(f"{architecture}.block_count").contents()
    check(f"{name}: gguf reads a {architecture}", blocks >= LAYERS and embeddings.shape[1] * 2 % WIDTH == 0)
    names = reader.get_field("tokenizer.ggml.tokens").contents()
    check(f"{name}: a name for each token", len(names) == len(set(names)) == embeddings.shape[0])
    return reader


def encode(text, tokenizer):
    """The ids of a text, as `bitter prepare` makes them, without the end of the document."""
    file, out = path("text.txt"), path(f"text-{tokenizer.replace(':', '')}")
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(text * 10)
    bitter("prepare", "--tokenizer", data(tokenizer), "--out", out, file)
    ids = np.fromfile(os.path.join(out, "train_000000.bin"), dtype="<u2")[512:]
    whole = np.concatenate([ids, np.fromfile(os.path.join(out, "val_000000.bin"), dtype="<u2")[512:]])
    return whole[: len(whole) // 10].tolist()


def open_model(run, context):
    return llama_cpp.Llama(os.path.join(export(run, "gguf"), "model.gguf"), n_ctx=context, logits_all=True,
                           n_threads=1, type_k=llama_cpp.GGML_TYPE_F32, type_v=llama_cpp.GGML_TYPE_F32,
                           flash_attn=False, verbose=False)


def complete(name, run, tokenizer, context=TRAINED, count=TRAINED):
    read(name, run)
    if not llama_cpp:
        return
    model = open_model(run, max(context, count))
    ids = tokens(count, tokenizer)
    model.eval([int(i) for i in ids])
    theirs, ours = np.array(model.scores[:count]), logits(run, count, tokenizer)
    worst = float(np.abs(ours - theirs).max())
    check(f"{name}: logits of {count} tokens", worst <= MOST and ours.std() > 0.5, f"differ by {worst:.1e}")
    end = [] if tokenizer == "chars" else [model.token_eos()]
    prompt = model.tokenize(PROMPT.encode(), add_bos=True, special=False)
    if tokenizer == "bytes":
        check(f"{name}: the prompt's tokens", prompt == end + list(PROMPT.encode()))
    else:
        text = writings()[:3000]
        check(f"{name}: a text's tokens", encode(text, tokenizer) == model.tokenize(text.encode(), add_bos=False))
    model.reset()
    answer, token = [], None
    for token in model.generate(prompt, temp=0, repeat_penalty=1.0, top_k=1):
        answer.append(token)
        if len(answer) == 100:
            break
    text = b"".join(b"\n\n" if [t] == end else model.detokenize([t]) for t in answer)
    check(f"{name}: 100 tokens after a prompt", text == greedy(run), repr(text[:40]))


for name in ("learned", "none", "sinusoidal", "rope", "rope:pairing=interleaved", "partial",
             "partial:fraction=0.3,pairing=interleaved", "alibi"):
    complete(name, train(name, name), "bytes")
for name, scheme, *words in (("llama", "rope", "--block", "llama"),
                             ("llama 2 of 4", "rope:pairing=interleaved", "--block", "llama", "--kv-heads", 2),
                             ("llama 1 of 4", "rope:base=500", "--block", "llama", "--kv-heads", 1),
                             ("rope 2 of 4", "rope", "--kv-heads", 2)):
    complete(name, train(name, scheme, *words, heads=4), "bytes")
# llama.cpp's smollm3 leaves out the rotations of every fourth layer.
for name, scheme, *words in (("smollm3", "rope*3,none", "--kv-heads", 1, "--layers", 5),
                             ("smollm3 skip", "rope:skip=4,pairing=interleaved", "--layers", 4)):
    complete(name, train(name, scheme, "--block", "llama", *words), "bytes")
run = extend(path("llama 1 of 4"), "llama yarn", "--method", "yarn", "--factor", 4)
complete("llama yarn", run, "bytes", context=4 * TRAINED, count=4 * TRAINED)
complete("alibi, 3 heads", train("alibi 3", "alibi", heads=3), "bytes", count=3 * TRAINED)
for tokenizer in ("chars", "bpe:300"):
    complete(tokenizer, train(tokenizer, "rope", tokenizer=tokenizer), tokenizer)
complete("longer", train("longer", "rope", steps=500), "bytes")
for base in ("rope:pairing=interleaved", "partial"):
    for method in ("pi", "ntk", "yarn"):
        run = extend(path(base), f"{base} {method}", "--method", method, "--factor", 4)
        complete(f"{base} {method}", run, "bytes", context=4 * TRAINED, count=4 * TRAINED)

for name, make in {"prope": lambda: train("prope", "prope"), "t5": lambda: train("t5", "t5"),
                   "llama3": lambda: extend(path("partial"), "llama3", "--method", "llama3"),
                   "alibi:scale=2": lambda: train("scale", "alibi:scale=2"),
                   "window": lambda: train("window", "rope", "--window", 16),
                   "mistral": lambda: train("mistral", "rope", "--window", 16, "--block", "llama"),
                   "every second layer": lambda: train("second", "rope,none", "--block", "llama")}.items():
    run = make()
    said = bitter("export", run, "--to", "gguf", "--out", f"{run}.refused", fails=True)
    check(f"{name}: refused", said.count(b"\n") == 1 and not os.path.exists(f"{run}.refused"))
finish()
