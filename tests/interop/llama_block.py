# --block llama computes what transformers' LlamaForCausalLM computes: the same random weights, written into both.
import json
import os
import zlib

from common import *

try:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError:
    print("skipped: llama_block, because torch and transformers are not installed")
    finish()

MOST = 1e-5  # between logits, relative to the largest
COUNT = 200
torch.set_num_threads(1)


def make(name, kv_heads, heads=4, width=64, scheme="rope"):
    run = path(name)
    bitter("train", "--data", data(), "--block", "llama", "--pos", scheme, "--layers", LAYERS, "--heads", heads,
           "--kv-heads", kv_heads, "--width", width, "--context", TRAINED, "--batch", 1, "--steps", 1, "--eval-every", 0,
           "--eval-tokens", 200, "--save-every", 0, "--threads", 1, "--out", run)
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
        if len(entry["shape"]) == 1:
            numbers += 1  # the norms
        tensors[name] = numbers.astype("<f4")
        content[begin:end] = tensors[name].tobytes()
    # The header holds the CRC-32 of the numbers.
    old = header["__metadata__"]["crc32"].encode()
    content[8 : 8 + size] = content[8 : 8 + size].replace(old, b"%08x" % zlib.crc32(content[8 + size :]))
    with open(file, "wb") as stream:
        stream.write(content)
    return tensors


def theirs(tensors, kv_heads, heads=4, base=10000.0):
    """LlamaForCausalLM with these weights, where queries, keys, values, gate and up have matrices of their own."""
    vocab, width = tensors["wte"].shape
    hidden = tensors["h.0.mlp.down.weight"].shape[1]
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=vocab, hidden_size=width, intermediate_size=hidden, num_hidden_layers=LAYERS,
        num_attention_heads=heads, num_key_value_heads=kv_heads, rms_norm_eps=1e-5, max_position_embeddings=4 * TRAINED,
        tie_word_embeddings=True, bos_token_id=0, eos_token_id=0,
        rope_parameters={"rope_type": "default", "rope_theta": base})).eval()
    state = {"model.embed_tokens.weight": tensors["wte"], "lm_head.weight": tensors["wte"],
             "model.norm.weight": tensors["ln_f.weight"]}
    kv = width // heads * kv_heads
    for layer in range(LAYERS):
        ours, to = f"h.{layer}.", f"model.layers.{layer}."
        q, k, v = np.split(tensors[ours + "attn.qkv.weight"], [width, width + kv])
        gate, up = np.split(tensors[ours + "mlp.gate_up.weight"], 2)
        state.update({to + "input_layernorm.weight": tensors[ours + "ln_1.weight"],
                      to + "self_attn.q_proj.weight": q, to + "self_attn.k_proj.weight": k,
                      to + "self_attn.v_proj.weight": v, to + "self_attn.o_proj.weight": tensors[ours + "attn.proj.weight"],
                      to + "post_attention_layernorm.weight": tensors[ours + "ln_2.weight"],
                      to + "mlp.gate_proj.weight": gate, to + "mlp.up_proj.weight": up,
                      to + "mlp.down_proj.weight": tensors[ours + "mlp.down.weight"]})
    model.load_state_dict({name: torch.tensor(numbers) for name, numbers in state.items()})
    with torch.no_grad():
        return model(torch.tensor(tokens(COUNT))[None]).logits[0].numpy()


def difference(ours, other):
    return float(np.abs(ours - other).max() / np.abs(other).max())


for kv_heads in (4, 2, 1):
    for scheme, base in (("rope", 10000.0), ("rope:base=300", 300.0)):
        run = make(f"{scheme} {kv_heads}", kv_heads, scheme=scheme)
        tensors = randomise(run)
        expected, found = theirs(tensors, kv_heads, base=base), logits(run, COUNT)
        worst = difference(found, expected)
        check(f"{scheme}, {kv_heads} key heads: logits", worst <= MOST and expected.std() > 0.5,
              f"differ by {worst:.1e}, largest {np.abs(expected).max():.1f}")
        other = theirs(tensors, kv_heads, base=base * 1.1)
        check(f"{scheme}, {kv_heads} key heads: another base is noticed", difference(found, other) > 10 * MOST)
run = make("odd", 3, heads=3, width=48)  # 128 hidden channels
tensors = randomise(run)
worst = difference(logits(run, COUNT), theirs(tensors, 3, heads=3))
check("3 heads, width 48: logits", worst <= MOST, f"differ by {worst:.1e}")
finish()
