"use strict";
// Does the Python of the page compute what the C functions of the same names do?
const assert = require("assert");
const { spawnSync } = require("child_process");
const { html, script, load, run } = require("./page.js");
const Numbers = require("vm").runInThisContext(script("numbers.js") + "\nNumbers");

const blocks = [...html.matchAll(/<code class="python">([^]*?)<\/code>/g)].map(([, text]) =>
    text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&"));
const ASK = `
print(rope_theta(1000, 3, 16), *rope_pair_forward([0.3, -1.2], 0.7), *rope_pair_backward([0.3, -1.2], 0.7))
for row in rotary_backward([[1 + 2j, 3 - 1j]] * 3, [1, 0.1]):
    print(*[part for g in row for part in (g.real, g.imag)])
print(rope_pair_torque([0.3, -1.2], [0.7, 0.4]))
for method in "pi", "ntk", "yarn":
    print(*stretch_factors(method, 4, 64, 1000, 8))
dq, dk, dm, dn, dtheta = pair_backward([1, 0.3], [0.4, 1], 9, 4, 0.3)
print(*dq, *dk, dm, dn, dtheta)
drho = [1.0, 2.0]
theta_backward(drho, [0, 0.5], [3, 4])
print(*drho)
dparams = [1.0, 2.0]
log = (None, [(5, 1 / 11)])  # of -a log(1 + b d), where a = 2, b = 0.5, d = 20
formula_backward(dparams, [(0, []), (1, []), (None, []), (None, [(1, 20), (2, 0.5)]), (None, []), (None, [(4, 1), (3, 1)]), log,
    (None, [(0, math.log(11)), (6, 2)]), (None, [(7, -1)])], 0.3)
print(*dparams)
for row in turn_gradient_forward([[1 + 2j]] * 2, [0.5]):
    print(row[0].real, row[0].imag)
`;

// The layer: products with its weights are taken from C; attention and sums are Python's. `layer` has C's tensors.
const LAYER = `
def norm(x):
    means = [sum(row) / 8 for row in x]
    return [[(a - m) / math.sqrt(sum((b - m) ** 2 for b in row) / 8 + 1e-5) for a in row] for row, m in zip(x, means)]
def add(x, y):
    return [[a + b for a, b in zip(*rows)] for rows in zip(x, y)]
def softmax(S):
    P = [math.exp(s - max(S)) for s in S]
    return [p / sum(P) for p in P]
def gelu(x):
    return x
def turn(x):
    turned = []
    for t, row in enumerate(x):
        pairs = [rope_pair_forward([row[i], row[i + 2]], t * rope_theta(10000, i, 4) * layer["turns"]) for i in range(2)]
        turned.append([pair[part] for part in range(2) for pair in pairs])
    return turned
class Weights:
    def qkv(self, x):
        return [[[row[8 * part + 4 * h:][:4] for row in layer["made"]] for part in range(3)] for h in range(2)]
    def proj(self, heads):
        for rows in zip(*heads):
            print(*sum(rows, []))
        return add(layer["mid"], [[-a for a in row] for row in layer["x"]])
    def fc(self, x):
        for row in x:
            print(*row)
        return x
    def fcproj(self, x):
        return add(layer["out"], [[-a for a in row] for row in layer["mid"]])
for row in layer_forward(layer["x"], Weights(), turn, layer["bias"]):
    print(*row)
`;
const SIZES = { token: 8, x: 8, made: 24, qkv: 24, S0: 10, S: 10, P: 10, heads: 8, mid: 8, out: 8 }; // numbers a token: PLACES of layer.js

// The tensors of a layer's forward pass, in rows.
function layerOf(c, scheme) {
    const count = 5 * Object.values(SIZES).reduce((a, b) => a + b), tensors = {};
    c.module.text = scheme;
    const all = c.fill("lesson_layer", 2 * count + 1, [0, 1, 2, 3, 4, 0]);
    c.module.succeed(all.returned);
    let at = 0;
    for (const [name, size] of Object.entries(SIZES)) {
        const wide = size === 10 ? 5 : size; // scores: 2 heads of 5 queries
        tensors[name] = Array.from({ length: 5 * size / wide }, (_, t) => all.slice(at + t * wide, at + (t + 1) * wide));
        at += 5 * size;
    }
    const bias = tensors.S.map((row, r) => row.map((value, j) => value - tensors.S0[r][j]));
    return { ...tensors, bias: [bias.slice(0, 5), bias.slice(5)], turns: scheme === "rope" ? 1 : 0 };
}

function normOf(row) {
    const mean = row.reduce((a, b) => a + b) / 8, variance = row.reduce((sum, b) => sum + (b - mean) ** 2, 0) / 8;
    return row.map((a) => (a - mean) / Math.sqrt(variance + 1e-5));
}

run(async () => {
    const c = new Numbers(await load("double")), task = [16, 24, 1.5, 12], { dtheta } = c.task(0.2, task);
    const steps = `print(pair_task_step(0.2, 0.01, ${dtheta}), pair_task_step(0.2, 1e-4, ${dtheta}))\n`;
    const layers = ["rope", "alibi"].map((scheme) => layerOf(c, scheme));
    const asked = layers.map(({ made, x, mid, out, bias, turns }) => `\nlayer = ${JSON.stringify({ made, x, mid, out, bias, turns })}` + LAYER).join("");
    const python = spawnSync("python3", ["-"], { input: blocks.join("\n\n") + ASK + steps + asked, encoding: "utf8" });
    assert.equal(python.status, 0, python.stderr);
    const found = python.stdout.trim().split(/\s+/).map(Number);
    const expected = [c.theta(1000, 3, 16), ...c.forward([0.3, -1.2], 0.7), ...c.backward([0.3, -1.2], 0.7)];
    for (let t = 0; t < 3; t++) expected.push(...c.backward([1, 2], t), ...c.backward([3, -1], 0.1 * t));
    expected.push(c.torque([0.3, -1.2], [0.7, 0.4]));
    for (const method of [0, 1, 3]) expected.push(...c.fill("picture_factors", 8, method, 4, 64, 1000, 8)); // PI, NTK, YaRN
    const pair = [1, 0.3, 0.4, 1, 9, 4, 0.3], forward = [...c.fill("pair_forward", 7, pair)];
    expected.push(...c.fill("pair_backward", 14, forward, pair, -1).slice(7));
    expected.push(1 + 3, 2 + 4 * Math.exp(0.5)); // theta_backward adds
    c.module.table("lesson_formula", "bias(d) = -a * log(1 + b * d)\na = 2\nb = 0.5");
    const [, da, , db] = c.fill("lesson_formula_at", 5 * 21, [2, 0.5], 0, 0, 21).slice(5 * 20);
    expected.push(1 + 0.3 * da, 2 + 0.3 * db); // formula_backward adds
    for (let t = 0; t < 2; t++) expected.push(...c.forward([1, 2], 0.5 * t));
    const step = (rate) => c.value("pair_task_step", 0.2, rate, task);
    expected.push(step(0.01), step(1e-4));
    for (const { heads, mid, out } of layers) expected.push(...heads.flat(), ...mid.map(normOf).flat(), ...out.flat());
    assert.equal(found.length, expected.length, python.stdout);
    found.forEach((number, i) => assert(Math.abs(number - expected[i]) < 1e-12, `number ${i}: Python ${number}, C ${expected[i]}`));
});
