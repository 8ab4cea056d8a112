"use strict";
// Are the recorded curves of the page those that its module trains? Compares the options and first steps of each.
const assert = require("assert");
const vm = require("vm");
const { script, load, run } = require("./page.js");

const { RECORDED, train, wrongSign, trainOptions } = vm.runInNewContext(
    ["recorded.js", "train.js", "broken.js"].map(script).join("\n") + "\n({RECORDED, train, wrongSign, trainOptions})", { navigator: {} });
const STEPS = 24, TOLERANCE = 2e-3;

// How far the first means of the curve are from those of a model with these options.
async function farthest(curve, options) {
    const model = await load("float");
    let most = 0;
    model.start(options);
    for (let step = 0; step < STEPS; step += RECORDED.EACH) {
        let sum = 0;
        for (let i = 0; i < RECORDED.EACH; i++) sum += model.step();
        most = Math.max(most, Math.abs(sum / RECORDED.EACH - curve[step / RECORDED.EACH]));
    }
    return most;
}

run(async () => {
    const { size, context, seed, steps, schemes } = train.PRESET;
    const expected = schemes.map((name) => ["train", name, `--pos ${name} ${trainOptions(`${size} --context ${context} --seed ${seed}`, steps)}`, steps]);
    expected.push(...wrongSign.KINDS.map(([name, scheme]) => ["wrong", name, `${scheme} ${wrongSign.options()}`, wrongSign.STEPS]));
    for (const [part, name, options, all] of expected) {
        const { options: recorded, curve } = RECORDED[part][name];
        assert.equal(recorded, options, `${name}: scripts/lesson_record.js records it anew`);
        assert.equal(curve.length, all / RECORDED.EACH, `${name}: points of the curve`);
        const apart = await farthest(curve, options);
        assert(apart < TOLERANCE, `${name}: the module differs by ${apart}; scripts/lesson_record.js records it anew`);
    }
    const other = await farthest(RECORDED.train.rope.curve, RECORDED.train.rope.options.replace("--seed 1337", "--seed 1338"));
    assert(other > TOLERANCE, `another seed differs by ${other} only`);
});
