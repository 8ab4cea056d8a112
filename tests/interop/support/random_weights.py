# Models with random numbers as weights, in runs of bitter and in models of transformers, whose logits are compared.
import json
import os
import zlib

from common import *

COUNT = 200


def make(name, *words, heads=4, width=64, layers=LAYERS):
    """A run of so many heads; words are options of train."""
    run = path(name)
    bitter("train", "--data", data(), "--layers", layers, "--heads", heads, "--width", width, "--context", TRAINED,
           "--batch", 1, "--steps", 1, "--eval-every", 0, "--eval-tokens", 200, "--save-every", 0, "--threads", 1, "--out",
           run, *words)
    return run


def randomise(run):
    """Put random numbers into the run's model.safetensors; returns its tensors."""
    file = os.path.join(run, "model.safetensors")
    with open(file, "rb") as stream:
        content = bytearray(stream.read())
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    random, tensors = np.random.default_rng(19), {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        # Scores of some units: much sharper attention would multiply the rounding errors of both programs.
        numbers = random.normal(0, 0.3 if len(entry["shape"]) == 1 or name == "wte" else 0.15, entry["shape"])
        if len(entry["shape"]) == 1 and name.endswith("weight"):
            numbers += 1  # the norms
        tensors[name] = numbers.astype("<f4")
        content[begin:end] = tensors[name].tobytes()
    # The header holds the CRC-32 of the numbers.
    old = header["__metadata__"]["crc32"].encode()
    content[8 : 8 + size] = content[8 : 8 + size].replace(old, b"%08x" % zlib.crc32(content[8 + size :]))
    with open(file, "wb") as stream:
        stream.write(content)
    return tensors


def layer_state(tensors, layer, q_and_k):
    """Weights of one layer, where queries, keys, values, gate and up have tensors of their own."""
    ours, to, state = f"h.{layer}.", f"model.layers.{layer}.", {}
    llama = ours + "mlp.gate_up.weight" in tensors
    same = {"input_layernorm": "ln_1", "self_attn.o_proj": "attn.proj", "post_attention_layernorm": "ln_2"}
    same.update({"mlp.down_proj": "mlp.down"} if llama else {"mlp.c_fc": "mlp.fc", "mlp.c_proj": "mlp.proj"})
    for kind in (".weight",) if llama else (".weight", ".bias"):
        state.update({to + name + kind: tensors[ours + their + kind] for name, their in same.items()})
        for part, numbers in zip("qkv", np.split(tensors[ours + "attn.qkv" + kind], q_and_k)):
            state[f"{to}self_attn.{part}_proj{kind}"] = numbers
    if llama:
        for part, numbers in zip(("gate", "up"), np.split(tensors[ours + "mlp.gate_up.weight"], 2)):
            state[f"{to}mlp.{part}_proj.weight"] = numbers
    return state


def theirs(make_model, make_config, tensors, heads=4, kv_heads=None, **words):
    """The logits of transformers' model with these weights; words are members of its config."""
    import torch

    vocab, width = tensors["wte"].shape
    kv_heads = kv_heads or heads
    layers = len([name for name in tensors if name.endswith("ln_1.weight")])
    down = tensors.get("h.0.mlp.down.weight", tensors.get("h.0.mlp.proj.weight"))
    words = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, **words}
    model = make_model(make_config(
        vocab_size=vocab, hidden_size=width, intermediate_size=down.shape[1], num_hidden_layers=layers,
        num_attention_heads=heads, num_key_value_heads=kv_heads, max_position_embeddings=4 * TRAINED,
        tie_word_embeddings=True, bos_token_id=0, eos_token_id=0, pad_token_id=0, **words)).eval()
    state = {"model.embed_tokens.weight": tensors["wte"], "lm_head.weight": tensors["wte"]}
    state.update({name.replace("ln_f", "model.norm"): numbers for name, numbers in tensors.items() if "ln_f" in name})
    for layer in range(layers):
        state.update(layer_state(tensors, layer, [width, width + width // heads * kv_heads]))
    model.load_state_dict({name: torch.tensor(numbers) for name, numbers in state.items()})
    with torch.no_grad():
        return model(torch.tensor(tokens(COUNT))[None]).logits[0].numpy()


def difference(ours, other):
    """The largest, relative to the largest number."""
    return float(np.abs(ours - other).max() / np.abs(other).max())
