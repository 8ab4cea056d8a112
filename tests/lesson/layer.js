"use strict";
// node layer.js: the numbers of one layer that the page shows. Gradients are compared with differences of the loss when a
// formula moves one number: an embedding, a score, an angle.
const assert = require("assert");
const { load, run } = require("./page.js");

const T = 5, C = 8, H = 2, d = C / H, COUNTS = { token: 40, x: 40, made: 120, qkv: 120, S0: 50, S: 50, P: 50, heads: 40, mid: 40, out: 40 };
const ORDER = [0, 1, 2, 3, 4], SWAPPED = [0, 3, 2, 1, 4];

let model;

// [values by place, gradients by place, loss]
function layer(scheme, order = ORDER) {
    const sum = Object.values(COUNTS).reduce((a, b) => a + b), at = 2 * sum + 1;
    model.text = scheme;
    model.numbers.set([...order, 0], at);
    model.succeed(model.c.lesson_layer(model.address, model.address + 8 * at));
    const all = Array.from(model.numbers.slice(0, at)), places = [{}, {}];
    let next = 0;
    for (const part of places) for (const [name, count] of Object.entries(COUNTS)) part[name] = all.slice(next, next += count);
    return [...places, all[2 * sum]];
}

function near(a, b, what, tolerance = 1e-7) {
    assert(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} and ${b}`);
}

function slope(formula, h = 1e-5) {
    return (layer(formula(h))[2] - layer(formula(-h))[2]) / (2 * h);
}

// What must hold of any scheme, in plain loops.
function holdsTogether(scheme) {
    const [y, dy] = layer(scheme);
    for (let h = 0; h < H; h++)
        for (let i = 0; i < T; i++) {
            const row = j => (h * T + i) * T + j, keys = [...Array(i + 1).keys()];
            const total = keys.reduce((sum, j) => sum + Math.exp(y.S[row(j)]), 0), mean = keys.reduce((sum, j) => sum + y.P[row(j)] * dy.P[row(j)], 0);
            for (const j of keys) {
                near(y.P[row(j)], Math.exp(y.S[row(j)]) / total, `${scheme}: P is the softmax of S`);
                near(dy.S[row(j)], y.P[row(j)] * (dy.P[row(j)] - mean), `${scheme}: dS`);
            }
            for (let j = i + 1; j < T; j++) for (const name of ["S0", "S", "P"]) assert.strictEqual(y[name][row(j)], 0, `${scheme}: ${name} is masked`);
            for (let c = h * d; c < (h + 1) * d; c++)
                near(y.heads[i * C + c], keys.reduce((sum, j) => sum + y.P[row(j)] * y.qkv[j * 3 * C + 2 * C + c], 0), `${scheme}: heads`);
        }
    // The loss is that of the last token: no other query has a gradient, and behind attention no other row.
    for (const name of ["mid", "out", "heads"]) assert(dy[name].slice(0, -C).every(x => Math.abs(x) < 1e-12), `${scheme}: d${name} of earlier tokens`);
    assert(dy.made.some((x, n) => Math.floor(n / C) % 3 === 1 && n < 4 * 3 * C && x !== 0), `${scheme}: earlier keys have gradients`);
    // A norm hides the length and the mean of its input.
    const out = y.out.slice(-C), dout = dy.out.slice(-C), middle = out.reduce((a, b) => a + b) / C;
    near(dout.reduce((a, b) => a + b), 0, `${scheme}: sum of dout`);
    near(dout.reduce((sum, g, c) => sum + g * (out[c] - middle), 0), 0, `${scheme}: dout along out`, 1e-5);
}

run(async () => {
    model = await load("double");
    for (const scheme of ["none", "learned", "sinusoidal:amplitude=0.4", "rope", "alibi", "fox"]) holdsTogether(scheme);

    const [none, dnone] = layer("none"), [rope, drope] = layer("rope");
    assert.deepStrictEqual(none.made, none.qkv);
    none.S.forEach((x, n) => near(x, none.S0[n], "no bias", 1e-12));
    assert.deepStrictEqual(none.token, none.x);
    for (let at = 0; at < T * 3 * C; at += d) { // lengths of queries, keys and values of each head, and of their gradients
        near(Math.hypot(...rope.made.slice(at, at + d)), Math.hypot(...rope.qkv.slice(at, at + d)), "rope keeps lengths");
        near(Math.hypot(...drope.made.slice(at, at + d)), Math.hypot(...drope.qkv.slice(at, at + d)), "rope keeps lengths of gradients");
    }
    assert(rope.made.some((x, n) => x !== rope.qkv[n]), "rope rotates");
    const [alibi] = layer("alibi");
    for (let j = 0; j < T; j++) near(alibi.S[20 + j] - alibi.S0[20 + j], -(2 ** -4) * (4 - j), "alibi's bias, head 0");

    // Embedding, score and angle, each moved by a formula.
    for (const [t, c] of [[0, 0], [2, 3], [4, 7]])
        near(slope(h => `{code(t, c) = if((t == ${t}) * (c == ${c}), ${h}, 0)}`), dnone.x[t * C + c], `dx of token ${t}, channel ${c}`);
    for (const distance of [0, 2, 4])
        near(slope(h => `{bias(d) = if(d == ${distance}, ${h}, 0)}`), dnone.S[20 + 4 - distance] + dnone.S[45 + 4 - distance], `dS at distance ${distance}`);
    const pair = (y, dy, at) => dy[at + d / 2] * y[at] - dy[at] * y[at + d / 2]; // torque of pair 0: channels 0 and d/2
    let torque = 0;
    for (let t = 0; t < T; t++) for (let h = 0; h < H; h++) for (const k of [0, C]) torque += t * pair(rope.qkv, drope.qkv, t * 3 * C + k + h * d);
    near(slope(h => `{angle(i) = if(i == 0, 1 + ${h}, 0.01)}`), torque, "the torque of pair 0", 1e-6);

    // Which place notices that two words have changed places; keyed by word, for the last query.
    const [swapped] = layer("none", SWAPPED), [turned] = layer("rope", SWAPPED);
    near(Math.max(...swapped.out.slice(-C).map((x, c) => Math.abs(x - none.out[4 * C + c]))), 0, "without positions, order does not matter", 1e-12);
    assert(turned.out.slice(-C).some((x, c) => Math.abs(x - rope.out[4 * C + c]) > 0.01), "with rope it does");
    assert.throws(() => layer("xpoz"), /xpos/);
});
