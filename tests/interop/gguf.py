# Every scheme that `bitter export --to gguf` takes: gguf's own reader finds the weights and keys in the file; llama.cpp
# splits a prompt into the same tokens, computes the same logits, and completes the prompt with the same 100 tokens. If
# transformers reads the architecture, it computes the same loss, and what it saves is imported as the same model.
import os
import shutil

import gguf

from common import *

try:
    import llama_cpp
except ImportError:
    llama_cpp = None
    print("skipped: llama.cpp, because llama-cpp-python is not installed")

try:
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.set_num_threads(1)
except ImportError:
    torch = None
    print("skipped: transformers' reader of GGUF, because torch and transformers are not installed")

# llama.cpp looks up GELU in a table of half precision, so its logits differ by more than those of transformers.
MOST = 4e-3


KEYS = ["context_length", "embedding_length", "block_count", "feed_forward_length", "attention.head_count",
        "attention.head_count_kv", "vocab_size"]
LAYER_NORM, RMS_NORM = ["attention.layer_norm_epsilon"], ["attention.layer_norm_rms_epsilon"]
ROPE = ["rope.dimension_count", "rope.freq_base"]
OTHER_KEYS = {"gpt2": LAYER_NORM, "mpt": LAYER_NORM + ["attention.max_alibi_bias"], "starcoder2": LAYER_NORM + ROPE,
              "gptneox": LAYER_NORM + ROPE + ["use_parallel_residual"], "llama": RMS_NORM + ROPE,
              "smollm3": RMS_NORM + ROPE}


def read(name, run):
    reader = gguf.GGUFReader(os.path.join(export(run, "gguf"), "model.gguf"))
    tensors = {t.name: t for t in reader.tensors}
    embeddings = tensors["token_embd.weight"].data
    architecture = reader.get_field("general.architecture").contents()
    blocks = reader.get_field(f"{architecture}.block_count").contents()
    check(f"{name}: gguf reads a {architecture}", blocks >= LAYERS and embeddings.shape[1] * 2 % WIDTH == 0)
    missing = [key for key in KEYS + OTHER_KEYS[architecture] if not reader.get_field(f"{architecture}.{key}")]
    check(f"{name}: every key", not missing, f"without {missing}" if missing else "")
    kinds = {value for key, value in vars(gguf.Keys.Attention).items() if not key.startswith("_")}
    kinds |= {value for key, value in vars(gguf.Keys.Rope).items() if not key.startswith("_")}
    kinds |= {value for key, value in vars(gguf.Keys.LLM).items() if not key.startswith("_")}
    own = {key.replace(architecture, "{arch}", 1) for key in reader.fields if key.startswith(architecture + ".")}
    check(f"{name}: no key that the format lacks", own <= kinds, f"{own - kinds}" if own - kinds else "")
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


def by_transformers(name, run, **words):
    """Its own reader of GGUF, then saved by it and imported. `words`: what it does not take from the file."""
    if not torch:
        return
    model = AutoModelForCausalLM.from_pretrained(export(run, "gguf"), gguf_file="model.gguf", **words).eval()
    ids = torch.tensor(tokens(TRAINED + 1))
    saved, back = f"{run}.saved", f"{run}.from-gguf"
    model.hf_quantizer = None  # it refuses to save what was read from a GGUF, although these are plain floats
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(saved)
    shutil.copy(f"{export(run, 'hf')}/tokenizer.json", saved)
    bitter("import", saved, "--out", back)
    with torch.no_grad():
        theirs = model(ids[None, :-1]).logits[0]
    losses = [torch.nn.functional.cross_entropy(x, ids[1:]).item()
              for x in (theirs, torch.tensor(logits(run, TRAINED)), torch.tensor(logits(back, TRAINED)))]
    check(f"{name}: transformers reads the GGUF, loss {losses[0]:.5f}", abs(losses[0] - losses[1]) <= 1e-5,
          f"ours {losses[1]:.5f}")
    check(f"{name}: saved by transformers and imported", abs(losses[2] - losses[1]) <= 1e-5, f"loss {losses[2]:.5f}")


for name in ("learned", "none", "sinusoidal", "rope", "rope:pairing=interleaved", "partial",
             "partial:fraction=0.3,pairing=interleaved", "alibi"):
    complete(name, train(name, name), "bytes")
for name, scheme, *words in (("llama", "rope", "--block", "llama"),
                             ("llama 2 of 4", "rope:pairing=interleaved", "--block", "llama", "--kv-heads", 2),
                             ("llama 1 of 4", "rope:base=500", "--block", "llama", "--kv-heads", 1),
                             ("rope, 4 heads", "rope"),
                             ("rope 2 of 4", "rope", "--kv-heads", 2)):
    complete(name, train(name, scheme, *words, heads=4), "bytes")
# llama.cpp's smollm3 leaves out the rotations of every fourth layer.
for name, scheme, *words in (("smollm3", "rope*3,none", "--kv-heads", 1, "--layers", 5),
                             ("smollm3 interleaved", "rope:pairing=interleaved*3,none", "--layers", 4)):
    complete(name, train(name, scheme, "--block", "llama", *words), "bytes")
# What transformers has no reader for: gptneox, mpt and smollm3. It looks for gpt2's length in another place, and for no
# base of a starcoder2.
for name in ("learned", "none", "sinusoidal"):
    by_transformers(name, path(name), n_positions=TRAINED)
for name in ("rope", "rope:pairing=interleaved", "rope, 4 heads", "rope 2 of 4", "llama", "llama 2 of 4", "llama 1 of 4"):
    by_transformers(name, path(name))
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
