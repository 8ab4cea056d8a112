# Windows and layers without rotations compute what transformers computes, with the same random weights written into
# models of both programs. The runs are then exported, and their configs must describe the same model.
from random_weights import *

try:
    import torch
    from transformers import (AutoModelForCausalLM, MistralConfig, MistralForCausalLM, SmolLM3Config,
                              SmolLM3ForCausalLM, Starcoder2Config, Starcoder2ForCausalLM)
except ImportError:
    print("skipped: layers, because torch and transformers are not installed")
    finish()

MOST = 1e-5  # between logits, relative to the largest
STARCODER2 = (Starcoder2ForCausalLM, Starcoder2Config)
MISTRAL = (MistralForCausalLM, MistralConfig)
SMOLLM3 = (SmolLM3ForCausalLM, SmolLM3Config)
SLIDES, SEES_ALL = "sliding_attention", "full_attention"
torch.set_num_threads(1)


def window(size):
    return {"sliding_window": size}


def windows(size, *types):
    return {"sliding_window": size, "use_sliding_window": True, "layer_types": list(types)}


# Options of train; transformers' model and members of its config; members of another that is not the same.
CASES = {
    "starcoder2": ([], STARCODER2, {}, window(COUNT - 1)),
    "starcoder2 window": (["--window", 16], STARCODER2, window(16), window(17)),
    "starcoder2 window of 1": (["--window", 1], STARCODER2, window(1), window(2)),
    "starcoder2 wide window": (["--window", COUNT - 1], STARCODER2, window(COUNT - 1), {}),
    "starcoder2 window, 1 of 4": (["--window", 64, "--kv-heads", 1], STARCODER2, window(64), window(63)),
    "mistral": (["--block", "llama", "--window", 16], MISTRAL, window(16), window(15)),
    "mistral, 2 of 4": (["--block", "llama", "--window", 64, "--kv-heads", 2], MISTRAL, window(64), window(65)),
    "smollm3": (["--block", "llama", "--pos", "rope*3,none"], SMOLLM3, {"no_rope_layers": [1, 1, 1, 0, 1]},
                {"no_rope_layers": [1, 1, 1, 1, 1]}),
    "smollm3 interval": (["--block", "llama", "--pos", "rope,none"], SMOLLM3, {"no_rope_layer_interval": 2},
                     {"no_rope_layer_interval": 3}),
    "smollm3 without": (["--block", "llama", "--pos", "none"], SMOLLM3, {"no_rope_layers": [0] * 5},
                        {"no_rope_layers": [1, 0, 0, 0, 0]}),
    "smollm3 windows": (["--block", "llama", "--window", "16*2,0", "--kv-heads", 2], SMOLLM3,
                        {"no_rope_layers": [1] * 5, **windows(16, SLIDES, SLIDES, SEES_ALL, SLIDES, SLIDES)},
                        {"no_rope_layers": [1] * 5, **windows(16, SLIDES, SLIDES, SEES_ALL, SLIDES, SEES_ALL)}),
    "smollm3 both": (["--block", "llama", "--pos", "rope@0-1,3 none@2,4", "--window", "0,16"], SMOLLM3,
                     {"no_rope_layers": [1, 1, 0, 1, 0], **windows(16, SEES_ALL, SLIDES, SEES_ALL, SLIDES, SEES_ALL)},
                     {"no_rope_layers": [1, 1, 0, 1, 0], **windows(17, SEES_ALL, SLIDES, SEES_ALL, SLIDES, SEES_ALL)}),
}
for name, (words, classes, members, others) in CASES.items():
    run = make(name, *words, layers=5)
    tensors = randomise(run)
    kv_heads = words[words.index("--kv-heads") + 1] if "--kv-heads" in words else 4
    norms = {} if classes == STARCODER2 else {"rms_norm_eps": 1e-5}
    found = logits(run, COUNT)
    expected = theirs(*classes, tensors, kv_heads=kv_heads, **norms, **members)
    worst = difference(found, expected)
    check(f"{name}: logits", worst <= MOST and expected.std() > 0.5, f"differ by {worst:.1e}")
    other = difference(found, theirs(*classes, tensors, kv_heads=kv_heads, **norms, **others))
    check(f"{name}: another model is noticed", other > 10 * MOST, f"differs by {other:.1e}")
    model = AutoModelForCausalLM.from_pretrained(export(run, "hf")).eval()
    with torch.no_grad():
        worst = difference(model(torch.tensor(tokens(COUNT))[None]).logits[0].numpy(), expected)
    check(f"{name}: exported", isinstance(model, classes[0]) and worst <= MOST, f"differ by {worst:.1e}")
finish()
