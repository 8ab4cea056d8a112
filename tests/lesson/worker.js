"use strict";
// node worker.js: the page's wasm.js and worker.js, run as in a worker, with this program in place of the page.
const assert = require("assert");
const vm = require("vm");
const { script, bytes, load, Bitter, run } = require("./page.js");
const Numbers = vm.runInThisContext(script("numbers.js") + "\nNumbers");

const tiny = "--layers 1 --heads 2 --width 16 --context 16 --batch 2 --data builtin:tales:bytes=2e4 --eval-tokens 512";

// A worker without a thread: ask(type, details) -> Promise of its answer; `told` collects its other messages.
function start() {
    const waiting = new Map(), told = [], self = {};
    let last = 0;
    self.postMessage = (message) => {
        if (message.id === undefined) return told.push(message);
        const { resolve, reject } = waiting.get(message.id);
        if (message.error === undefined) resolve(message.value);
        else reject(new Error(message.error));
    };
    new Function("self", script("wasm.js") + "\n" + script("worker.js"))(self);
    const ask = (type, details) => new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        self.onmessage({ data: { ...details, type, id: last } });
    });
    return { ask, told };
}

const until = async (condition) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const close = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

async function training() {
    const { ask, told } = start();
    ask("load", { bytes: await bytes("float") });
    const shape = await ask("start", { options: tiny + " --pos rope --steps 30" });
    assert.deepStrictEqual([shape.layers, shape.heads, shape.context, shape.step], [1, 2, 16, 0]);
    ask("step", { steps: 20 });
    await ask("step", { steps: 10 });
    await until(() => told.some((message) => message.type === "done"));
    const losses = told.filter((message) => message.type === "progress").flatMap((message) => message.losses);
    assert.equal(losses.length, told.at(-1).step);
    assert(losses.length >= 10 && losses.length <= 30, `${losses.length} steps`);
    assert(losses.at(-1) < losses[0]);
    assert.equal((await ask("shape")).step, losses.length);
    return ask;
}

async function questions(ask) {
    const before = await ask("validate");
    assert(before > 0 && before < 6);
    assert(close(await ask("loss_at", { length: 16 }), before, 1e-12), "in windows of the trained length");
    const plain = await ask("loss_at", { length: 64 });
    await ask("stretch", { method: "pi 4" });
    assert(await ask("loss_at", { length: 64 }) !== plain, "a stretch changes the loss");
    assert.equal(await ask("validate"), before, "but not the one at the trained length");
    await ask("stretch", { method: "none" });
    assert.equal(await ask("loss_at", { length: 64 }), plain);
    const attention = await ask("attention");
    assert.deepStrictEqual([attention.length, attention[0].length, attention[0][0].length], [1, 2, 16]);
    for (const head of attention[0])
        assert(close(head.reduce((sum, weight, j) => sum + (weight * (16 - j)) / 16, 0), 1, 1e-5));
    const frequencies = await ask("frequencies", { layer: 0 });
    assert.equal(frequencies.length, 2);
    frequencies.forEach((row) => row.forEach((theta, i) => assert(close(theta, 10000 ** (-i / 4), 1e-12))));
    const sample = await ask("sample", { prompt: "Once é", tokens: 12 });
    assert(sample.length > 0 && !sample.startsWith("Once"));
}

async function mistakes(ask) {
    const refused = async (type, details, words) =>
        assert.rejects(ask(type, details), (error) => error.message.includes(words) || console.log(error.message));
    await refused("frequencies", { layer: 1 }, "there is no layer 1");
    await refused("stretch", { method: "yarm 2" }, "yarn");
    await refused("stretch", { method: "yarn" }, "factor");
    await refused("stretch", { method: "given 2" }, "given is no formula");
    await refused("loss_at", { length: 1e6 }, "window of 1000000 tokens");
    await refused("start", { options: "--pos rop" }, "did you mean 'rope'?");
    await refused("validate", {}, "there is no model");
    await refused("start", { options: "--layrs 2" }, "--layrs");
    await refused("start", { options: "--layers" }, "needs a value");
    await refused("start", { options: "--data somewhere" }, "builtin:");
    await refused("start", { options: tiny + " --init runs/rope" }, "--init");
    await refused("start", { options: tiny + " --lr 1e-5 --min-lr 1e-4" }, "--min-lr");
    // Vectors of 12 numbers leave gaps between tensors, which are no parameters.
    const { parameters } = await ask("start", { options: tiny + " --pos=alibi --width 12 --lr 1e-5" });
    assert.equal(parameters, 257 * 12 + 2 * 12 + 12 * 12 * 12 + 13 * 12);
    await refused("frequencies", { layer: 0 }, "alibi has no frequencies");
    await refused("stretch", { method: "ntk 2" }, "alibi");
}

// Schemes that rotate by other means than rope's hooks also have frequencies.
async function frequencies(ask) {
    const first = async (scheme) => {
        await ask("start", { options: `${tiny} --pos ${scheme}` });
        return (await ask("frequencies", { layer: 0 }))[0];
    };
    const rope = [0, 1, 2, 3].map((i) => 10000 ** (-i / 4)), grid = [1, 0.1, 1, 0.1];
    const expected = { xpos: rope, "rope-learned": rope, rope2d: grid, "rope:axes=2": grid };
    for (const [scheme, numbers] of Object.entries(expected))
        (await first(scheme)).forEach((theta, i) => assert(close(theta, numbers[i], 1e-6), `${scheme}, pair ${i}: ${theta}`));
}

async function pair() {
    const module = new Numbers(await load("double")), angle = 0.7, x = [0.3, -1.2], dy = [0.5, 2];
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const same = (a, b) => assert(a.every((number, i) => close(number, b[i], 1e-15)), `${a} is not ${b}`);
    same(module.forward(x, angle), [x[0] * c - x[1] * s, x[0] * s + x[1] * c]);
    same(module.backward(dy, angle), [dy[0] * c + dy[1] * s, -dy[0] * s + dy[1] * c]);
    same([module.torque(dy, x)], [dy[1] * x[0] - dy[0] * x[1]]);
    same([module.theta(10000, 3, 8)], [10000 ** (-6 / 8)]);
}

async function planted() {
    const { ask } = start();
    ask("load", { bytes: await bytes("double") });
    const list = await ask("mistakes");
    assert(list.length >= 7 && list.every(({ sentence }) => sentence.endsWith(".")));
    assert.equal(list.find(({ name }) => name === "bias").scheme, "alibi");
    const noticed = async (mistake) =>
        (await ask("checks", { mistake })).filter((check) => check.notices).map((check) => check.name);
    assert.deepStrictEqual(await noticed("sign"), ["gradient"]);
    assert.deepStrictEqual(await noticed("cache"), ["use"]);
    const [length] = (await ask("checks", { mistake: "bias" })).filter((check) => check.name === "length");
    assert.equal(length.applies, false);
    const refused = (type, details, words) =>
        assert.rejects(ask(type, details), (error) => error.message.includes(words) || console.log(error.message));
    await refused("checks", { mistake: "sing" }, "choose sign, values");
    await refused("gradcheck", { scheme: "alibi broken=sign" }, "one of rope, not of alibi");
    await refused("gradcheck", { scheme: "rop" }, "did you mean 'rope'?");
}

// A model with a wrong sign takes the same first step, and then diverges from the right one.
async function brokenTraining() {
    const module = await load("float"), options = tiny + " --pos rope --steps 30 --warmup 2";
    const losses = (more) => {
        module.start(options + more);
        return Array.from({ length: 30 }, () => module.step());
    };
    const right = losses(""), wrong = losses(" --broken sign"), again = losses("");
    assert.deepStrictEqual(again, right);
    assert.equal(wrong[0], right[0]);
    assert(wrong[29] !== right[29] && wrong[29] < wrong[0], "the broken model learns, too");
    assert.throws(() => module.start(tiny + " --pos alibi --broken sign"), /one of rope, not of alibi/);
}

run(async () => {
    const ask = await training();
    await questions(ask);
    await mistakes(ask);
    await frequencies(ask);
    await pair();
    await planted();
    await brokenTraining();
});
