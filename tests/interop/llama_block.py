# --block llama computes what transformers' LlamaForCausalLM computes, with the same random weights written into both.
from random_weights import *

try:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError:
    print("skipped: llama_block, because torch and transformers are not installed")
    finish()

MOST = 1e-5  # between logits, relative to the largest
torch.set_num_threads(1)


def llama(tensors, kv_heads, heads=4, base=10000.0):
    return theirs(LlamaForCausalLM, LlamaConfig, tensors, heads, kv_heads, rms_norm_eps=1e-5,
                  rope_parameters={"rope_type": "default", "rope_theta": base})


for kv_heads in (4, 2, 1):
    for scheme, base in (("rope", 10000.0), ("rope:base=300", 300.0)):
        run = make(f"{scheme} {kv_heads}", "--block", "llama", "--pos", scheme, "--kv-heads", kv_heads)
        tensors = randomise(run)
        expected, found = llama(tensors, kv_heads, base=base), logits(run, COUNT)
        worst = difference(found, expected)
        check(f"{scheme}, {kv_heads} key heads: logits", worst <= MOST and expected.std() > 0.5,
              f"differ by {worst:.1e}, largest {np.abs(expected).max():.1f}")
        other = llama(tensors, kv_heads, base=base * 1.1)
        check(f"{scheme}, {kv_heads} key heads: another base is noticed", difference(found, other) > 10 * MOST)
run = make("odd", "--block", "llama", heads=3, width=48)  # 128 hidden channels
tensors = randomise(run)
worst = difference(logits(run, COUNT), llama(tensors, 3, heads=3))
check("3 heads, width 48: logits", worst <= MOST, f"differ by {worst:.1e}")
finish()
