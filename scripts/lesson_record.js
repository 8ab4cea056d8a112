// SPDX-License-Identifier: MIT
"use strict";
// node scripts/lesson_record.js BUILD >lesson/page/recorded.js: the curves that the lesson's page shows before the
// reader trains. Each is trained by the page's own module (BUILD/lesson/float.wasm, from `make test-page`) with the
// page's own options, and takes as long as in the page. tests/lesson/recorded.sh repeats some steps.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const page = path.join(__dirname, "..", "lesson", "page"), read = (name) => fs.readFileSync(path.join(page, name), "utf8");
const Bitter = require(path.join(page, "wasm.js"));
const { train, wrongSign, trainOptions } = vm.runInNewContext(
    read("train.js") + read("broken.js") + "\n({train, wrongSign, trainOptions})", { navigator: {} });

const EACH = 4; // steps whose mean is one point of a curve
const short = (x) => Number(x.toFixed(3));

// {options, curve, validation} of a scheme, and with `windows` the losses in windows of these lengths by stretch.
async function record(bytes, options, windows = {}) {
    const model = await Bitter.load(bytes), { steps } = model.start(options), curve = [];
    for (let step = 0; step < steps; step += EACH) {
        let sum = 0;
        for (let i = 0; i < EACH; i++) sum += model.step();
        curve.push(short(sum / EACH));
    }
    const run = { options, curve, validation: short(model.validate()) };
    for (const [method, lengths] of Object.entries(windows)) {
        model.stretch(method);
        (run.windows ??= {})[method] = lengths.map((length) => short(model.lossAt(length)));
    }
    return run;
}

async function main() {
    const bytes = fs.readFileSync(path.join(process.argv[2], "lesson", "float.wasm"));
    const { size, context, seed, steps, schemes } = train.PRESET, runs = {}, wrong = {};
    const lengths = [context / 2, context, 2 * context, 4 * context];
    for (const name of schemes) {
        const known = name === "learned" ? lengths.slice(0, 2) : lengths, windows = { none: known };
        if (name === "rope") for (const method of ["pi", "ntk", "yarn"]) windows[`${method} 4`] = known;
        runs[name] = await record(bytes, `--pos ${name} ${trainOptions(`${size} --context ${context} --seed ${seed}`, steps)}`, windows);
        console.error(`${name}: ${runs[name].validation}`);
    }
    for (const [name, scheme] of wrongSign.KINDS) {
        wrong[name] = await record(bytes, `${scheme} ${wrongSign.options()}`);
        console.error(`${name}: ${wrong[name].validation}`);
    }
    const line = ([name, run]) => `        ${JSON.stringify(name)}: ${JSON.stringify(run)},\n`;
    process.stdout.write("// Made by scripts/lesson_record.js: do not edit. Means of the losses of EACH steps in training, the loss on unseen text\n" +
        "// after it, and by stretch the losses in windows of these lengths.\n" +
        `const RECORDED = {\n    EACH: ${EACH}, lengths: ${JSON.stringify(lengths)},\n    train: {\n${Object.entries(runs).map(line).join("")}    },\n` +
        `    wrong: {\n${Object.entries(wrong).map(line).join("")}    },\n};\n`);
}

main();
