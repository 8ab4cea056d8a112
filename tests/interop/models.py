# Every scheme that `bitter export --to hf` takes: transformers computes the same logits from it, and completes a prompt
# with the same 100 tokens. Models without a counterpart are refused. `bitter import` gives the same weights back.
import filecmp
import json
import os
import shutil

from common import *

try:
    import torch
    import transformers
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging
except ImportError:
    print("skipped: models, because torch and transformers are not installed")
    finish()

MOST = 1e-4  # between logits
torch.set_num_threads(1)
logging.disable_progress_bar()


def compare(name, run, counts=(TRAINED,)):
    model = AutoModelForCausalLM.from_pretrained(export(run, "hf")).eval()
    for count in counts:
        with torch.no_grad():
            theirs = model(torch.tensor(tokens(count))[None]).logits[0].numpy()
        ours = logits(run, count)
        worst = float(np.abs(ours - theirs).max())
        check(f"{name}: logits of {count} tokens", worst <= MOST and ours.std() > 0.5, f"differ by {worst:.1e}")
    return model


def complete(name, run, model, prompt=PROMPT):
    tokenizer = AutoTokenizer.from_pretrained(export(run, "hf"))
    ids = tokenizer(prompt, return_tensors="pt")
    answer = model.generate(**ids, max_new_tokens=100, do_sample=False, eos_token_id=None)[0]
    text = tokenizer.decode(answer[ids.input_ids.shape[1] :], clean_up_tokenization_spaces=False)
    theirs = text.replace("<|endoftext|>", "\n\n").encode()
    check(f"{name}: 100 tokens after a prompt", theirs == greedy(run, prompt=prompt), repr(theirs[:40]))


def both(name, run, counts=(TRAINED,)):
    complete(name, run, compare(name, run, counts))


def model_options(run):
    with open(f"{run}/config.json") as file:
        options = json.load(file)["options"]
    return [options[name] for name in ("pos", "window", "block", "kv-heads", "layers", "heads", "width", "context")]


def and_back(name, run, exact=True):
    """Exported and imported: the same weights, where our arrangement is theirs; exported again: the same file."""
    exported, imported, again = export(run, "hf"), f"{run}.back", f"{run}.again"
    bitter("import", exported, "--out", imported)
    bitter("export", imported, "--to", "hf", "--out", again)
    weights = "model.safetensors"
    check(f"{name}: exported again, the weights are the same bits",
          filecmp.cmp(f"{exported}/{weights}", f"{again}/{weights}", shallow=False))
    if exact:
        check(f"{name}: imported, the weights are the same bits",
              filecmp.cmp(f"{run}/{weights}", f"{imported}/{weights}", shallow=False))
        check(f"{name}: imported, the model has the same options", model_options(run) == model_options(imported))
    ours, theirs = logits(run, TRAINED), logits(imported, TRAINED)
    check(f"{name}: imported, the logits are the same", np.abs(ours - theirs).max() <= 2e-5)
    check(f"{name}: imported, it says the same", greedy(run) == greedy(imported))


SCHEMES = {
    "learned": "learned",
    "none": "none",
    "random": "random",
    "integer": "integer:step=0.1",  # larger steps leave too few digits for what a layer norm keeps
    "normalized": "normalized",
    "binary": "binary",
    "sinusoidal": "sinusoidal",
    "sinusoidal gain": "sinusoidal:gain=trained,layout=concatenated",
    "rope": "rope",
    "rope base": "rope:base=500",
    "rope interleaved": "rope:pairing=interleaved",
    "prope": "prope:p=0.5625",
    "prope interleaved": "prope:pairing=interleaved",
    "partial": "partial",
    "partial interleaved": "partial:fraction=0.3,pairing=interleaved",
}
for name, scheme in SCHEMES.items():
    run = train(name, scheme)
    both(name, run)
    and_back(name, run, name in ("learned", "rope", "rope base", "prope", "partial"))

# Llama's block, and heads that share keys.
SHARING = {
    "llama": ("rope", "--block", "llama"),
    "llama 2 of 4": ("rope:base=500", "--block", "llama", "--kv-heads", 2),
    "llama 1 of 4 interleaved": ("rope:pairing=interleaved", "--block", "llama", "--kv-heads", 1),
    "llama prope": ("prope:p=0.5625", "--block", "llama", "--kv-heads", 2),
    "rope 2 of 4": ("rope", "--kv-heads", 2),
    "rope 1 of 4 interleaved": ("rope:pairing=interleaved", "--kv-heads", 1),
}
for name, (scheme, *words) in SHARING.items():
    run = train(name, scheme, *words, heads=4)
    both(name, run)
    and_back(name, run, "interleaved" not in name)
run = extend(path("llama 2 of 4"), "llama yarn", "--method", "yarn", "--factor", 4)
compare("llama yarn", run, (96, TRAINED, 4 * TRAINED))

# Windows and layers without rotations; the prompt and 100 tokens more are longer than these windows.
LAYERED = {
    "windowed": ("rope", "--window", 24),
    "windowed interleaved": ("rope:pairing=interleaved", "--window", 24, "--kv-heads", 1),
    "llama window": ("rope", "--window", 24, "--block", "llama"),
    "llama some layers": ("rope:base=500,none", "--block", "llama"),
    "llama prope in some layers": ("none,prope:p=0.5625", "--block", "llama", "--window", 24),
    "llama windows": ("rope,none", "--window", "24,0", "--block", "llama", "--kv-heads", 1),
    "llama without": ("none", "--window", "0,24", "--block", "llama"),
    "llama some layers interleaved": ("rope:pairing=interleaved,none", "--block", "llama"),
}
for name, (scheme, *words) in LAYERED.items():
    run = train(name, scheme, *words)
    both(name, run, (TRAINED, 2 * TRAINED))
    and_back(name, run, "interleaved" not in name)
for method in ("yarn", "dynamic"):
    run = extend(path("llama some layers"), f"layers {method}", "--method", method, "--factor", 4)
    compare(f"llama some layers {method}", run, (96, TRAINED, 4 * TRAINED))
    if method == "yarn":
        and_back(f"llama some layers {method}", run)

# A model that has learned more, and other tokenizers; that of characters has no token that ends a text.
run = train("longer", "rope", steps=500)
complete("longer", run, AutoModelForCausalLM.from_pretrained(export(run, "hf")).eval())
for tokenizer in ("chars", "bpe:300"):
    run = train(tokenizer, "rope", tokenizer=tokenizer)
    complete(tokenizer, run, AutoModelForCausalLM.from_pretrained(export(run, "hf")).eval())
    bitter("import", export(run, "hf"), "--out", f"{run}.back")
    check(f"{tokenizer}: imported, it says the same", greedy(run) == greedy(f"{run}.back"))

# llm.c has learned positions alone.
run, there = path("learned"), path("learned.llmc")
bitter("export", run, "--to", "llm.c", "--out", there)
with open(f"{there}/model.bin", "rb") as file:
    header, numbers = np.frombuffer(file.read(1024), np.int32), np.frombuffer(file.read(), np.float32)
theirs = AutoModelForCausalLM.from_pretrained(export(run, "hf")).state_dict()
table = np.zeros((header[7], header[6]), np.float32)  # padded with zeros
table[:header[3]] = theirs["transformer.wte.weight"]
expected = [table, theirs["transformer.wpe.weight"]]
for kind in ("ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"):  # in the order of train_gpt2.py
    for end in ("weight", "bias"):
        expected += [theirs[f"transformer.h.{l}.{kind}.{end}"].numpy().T for l in range(header[4])]
expected += [theirs["transformer.ln_f.weight"], theirs["transformer.ln_f.bias"]]
check("llm.c: the header", list(header[:2]) == [20240326, 3] and header[7] % 128 == 0)
check("llm.c: the weights are transformers'", np.array_equal(numbers, np.concatenate([np.ravel(x) for x in expected])))

# Half precision, as others save it.
for run, dtype in (("rope", torch.float16), ("partial", torch.bfloat16), ("learned", torch.float32)):
    there, back = path(f"saved-{dtype}"), path(f"back-{dtype}")
    model = AutoModelForCausalLM.from_pretrained(export(path(run), "hf"), dtype=dtype)
    model.save_pretrained(there)
    AutoTokenizer.from_pretrained(export(path(run), "hf")).save_pretrained(there)
    bitter("import", there, "--out", back)
    with torch.no_grad():
        theirs = model.float()(torch.tensor(tokens(TRAINED))[None]).logits[0].numpy()
    worst = float(np.abs(logits(back, TRAINED) - theirs).max())
    check(f"{run} saved by transformers in {dtype}: imported", worst <= MOST, f"differ by {worst:.1e}")

# Models that transformers made, with the tokenizer of another.
SIZES = {"vocab_size": 257, "bos_token_id": 256, "eos_token_id": 256}
HIDDEN = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256,
          "max_position_embeddings": 256, **SIZES}
NEOX = {"use_parallel_residual": False, "tie_word_embeddings": True, "hidden_act": "gelu_new", **HIDDEN}
LINEAR = {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "rope_theta": 10000.0,
        "beta_fast": 16.0, "truncate": False}
LLAMA = {"rms_norm_eps": 1e-5, "tie_word_embeddings": True, **HIDDEN, "intermediate_size": 192, "pad_token_id": None}
MADE = {
    "gpt2": transformers.GPT2Config(n_embd=64, n_layer=2, n_head=4, n_positions=256, **SIZES),
    "starcoder2": transformers.Starcoder2Config(num_key_value_heads=4, rope_parameters=LINEAR, **HIDDEN),
    "starcoder2 yarn": transformers.Starcoder2Config(num_key_value_heads=4, rope_parameters=YARN, **HIDDEN),
    "starcoder2 shared": transformers.Starcoder2Config(num_key_value_heads=2, **HIDDEN),
    "llama": transformers.LlamaConfig(num_key_value_heads=2, rope_parameters=LINEAR, **LLAMA),
    "gpt_neox": transformers.GPTNeoXConfig(**NEOX),
    "starcoder2 window": transformers.Starcoder2Config(num_key_value_heads=4, sliding_window=32, **HIDDEN),
    "mistral": transformers.MistralConfig(num_key_value_heads=2, sliding_window=32, **LLAMA),
    "mistral without a window": transformers.MistralConfig(num_key_value_heads=2, sliding_window=None, **LLAMA),
    "smollm3": transformers.SmolLM3Config(num_key_value_heads=2, no_rope_layer_interval=2, **LLAMA),
    "smollm3 windows": transformers.SmolLM3Config(num_key_value_heads=2, no_rope_layers=[0, 1], sliding_window=32,
                                                  use_sliding_window=True, **LLAMA),
}
for name, config in MADE.items():
    torch.manual_seed(1)
    model = AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.15 * torch.randn_like(weights))
    for part, saved in (("", model), (" without a head", model.base_model)):
        there, back = path(f"made {name}{part}"), path(f"made {name}{part}.back")
        saved.save_pretrained(there)
        shutil.copy(f"{export(path('rope'), 'hf')}/tokenizer.json", there)
        bitter("import", there, "--out", back)
        with torch.no_grad():
            theirs = model(torch.tensor(tokens(200))[None]).logits[0].numpy()
        worst = float(np.abs(logits(back, 200) - theirs).max())
        check(f"{name} of transformers{part}: imported", worst <= MOST and theirs.std() > 0.5, f"differ by {worst:.1e}")

# What may stand in a config.json that was edited, or written by another version: which of two places counts.
YARN_SCALING = {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 100}
LLAMA3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [1.0 + i for i in range(8)]}
PROPORTIONAL = {"rope_type": "proportional", "partial_rotary_factor": 0.5, "factor": 4.0}
EDITED = {
    "starcoder2 with rope_scaling too": ("starcoder2", {"rope_scaling": YARN_SCALING, "rope_theta": 700.0}),
    "starcoder2 with an empty rope_scaling": ("starcoder2", {"rope_scaling": {}}),
    "gpt_neox with rope_scaling too": ("gpt_neox", {"rope_scaling": {**LINEAR, "partial_rotary_factor": 0.5}}),
    "starcoder2 yarn, original length outside": ("starcoder2 yarn", {"original_max_position_embeddings": 32}),
    "starcoder2 llama3, original length outside": (
        "starcoder2", {"rope_parameters": LLAMA3, "original_max_position_embeddings": 64}),
    "starcoder2 longrope, original length outside": (
        "starcoder2", {"rope_parameters": {**LONG, "original_max_position_embeddings": 230},
                       "original_max_position_embeddings": 64}),
    "starcoder2 proportional with a factor": ("starcoder2", {"rope_parameters": PROPORTIONAL}),
    "starcoder2 with a window": ("starcoder2", {"sliding_window": 10}),
    "smollm3 with an interval alone": ("smollm3", {"no_rope_layers": None, "no_rope_layer_interval": 3}),
    "smollm3 with windows in layers without rotations": (
        "smollm3", {"layer_types": None, "use_sliding_window": True, "sliding_window": 20}),
    "smollm3 with windows in other layers": (
        "smollm3", {"layer_types": ["sliding_attention", "full_attention"], "use_sliding_window": True,
                    "sliding_window": 20}),
    "smollm3 with an empty rope_parameters": ("smollm3", {"rope_parameters": {}}),
}
for name, (made, members) in EDITED.items():
    there, back = path(name), path(f"{name}.back")
    shutil.copytree(path(f"made {made}"), there)
    with open(f"{there}/config.json") as file:
        config = json.load(file)
    with open(f"{there}/config.json", "w") as file:
        json.dump({**config, **members}, file)
    bitter("import", there, "--out", back)
    with torch.no_grad():
        theirs = AutoModelForCausalLM.from_pretrained(there)(torch.tensor(tokens(200))[None]).logits[0].numpy()
    worst = float(np.abs(logits(back, 200) - theirs).max())
    moved = float(np.abs(logits(path(f"made {made}.back"), 200) - theirs).max())
    check(f"{name}: imported", worst <= MOST, f"differ by {worst:.1e}")
    check(f"{name}: it matters", (moved > 100 * MOST) == ("empty" not in name), f"differ by {moved:.1e}")
refused = transformers.GPTNeoXConfig(**{**NEOX, "use_parallel_residual": True})
AutoModelForCausalLM.from_config(refused).save_pretrained(path("parallel"))
said = bitter("import", path("parallel"), "--out", path("p"), fails=True)
check("a model like Pythia is refused", b"use_parallel_residual" in said)

# Stretched rotations, in windows below, at and above the original length.
STRETCHES = {
    "pi": ["--method", "pi"],
    "ntk": ["--method", "ntk"],
    "yarn": ["--method", "yarn"],
    "llama3": ["--method", "llama3"],
    "dynamic": ["--method", "dynamic"],
    "yarn paper": ["--method", "yarn", "--ramp", "paper", "--beta-fast", 8],
    "pi short": ["--method", "pi", "--keep-short"],
    "yarn short": ["--method", "yarn", "--keep-short"],
}
for base in ("rope", "rope interleaved", "partial"):
    for name, words in STRETCHES.items():
        for factor in (4, 8) if base == "rope" else (8,):
            run = extend(path(base), f"{base} {name} {factor}", "--factor", factor, *words)
            model = compare(f"{base} {name} x{factor}", run, (96, TRAINED, 4 * TRAINED))
            effect = np.abs(logits(run, 4 * TRAINED) - logits(path(base), 4 * TRAINED)).max()
            check(f"{base} {name} x{factor}: stretching changes the logits by much more", effect > 100 * MOST)
            if base != "rope":
                continue
            bitter("import", export(run, "hf"), "--out", f"{run}.back")
            check(f"{base} {name} x{factor}: imported, the weights are the same bits",
                  filecmp.cmp(f"{run}/model.safetensors", f"{run}.back/model.safetensors", shallow=False))
            worst = float(np.abs(logits(run, 4 * TRAINED) - logits(f"{run}.back", 4 * TRAINED)).max())
            check(f"{base} {name} x{factor}: imported, the logits are the same", worst <= 1e-5)
            if factor == 4 and "short" not in name and "dynamic" not in name:
                complete(f"{base} {name} x4", run, model)
for name in ("pi", "pi short"):
    compare(f"prope {name}", extend(path("prope"), f"prope {name}", *STRETCHES[name]), (96, 4 * TRAINED))

# No counterpart.
REFUSED = {
    "t5": (lambda: train("t5", "t5"), b"t5"),
    "alibi": (lambda: train("alibi", "alibi"), b"--to gguf"),
    "some layers": (lambda: train("some", "rope,none"), b"all layers"),
    "normalized by window": (lambda: train("window", "normalized:length=window"), b"length=trained"),
    "n_hat": (lambda: extend(path("rope"), "n_hat", "--method", "given", "--factors", ",".join(["4"] * 16),
                             "--unscaled", 4), b"n_hat"),
}
for name, (make, word) in REFUSED.items():
    run = make()
    said = bitter("export", run, "--to", "hf", "--out", f"{run}.refused", fails=True)
    check(f"{name}: refused", word in said and said.count(b"\n") == 1 and not os.path.exists(f"{run}.refused"))
finish()
