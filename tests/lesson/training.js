"use strict";
// node training.js OPTIONS RUN PROMPTS: does the page's module do what the program did? RUN was trained with OPTIONS.
// RUN contains, for each stretch (such as "none" or "yarn-4"), eval-STRETCH.csv from `bitter eval` and sample-STRETCH/N
// from `bitter sample` with the prompt in PROMPTS/N.
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { load, run } = require("./page.js");

// Columns of a CSV file, as numbers.
function table(file) {
    const [names, ...rows] = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
    return (name) => {
        assert(names.includes(name), `${file} has no column ${name}`);
        return rows.map((row) => Number(row[names.indexOf(name)]));
    };
}

function near(here, there, tolerance, what) {
    assert(Math.abs(here - there) <= tolerance, `${what}: the module has ${here}, bitter ${there}`);
}

// The trained module.
async function train(options, log) {
    const column = table(log), losses = column("train_loss"), model = await load("float");
    const shape = model.start(options);
    assert(losses.length === shape.steps && shape.steps >= 100, `${losses.length} of ${shape.steps} steps`);
    losses.forEach((loss, i) => near(model.step(), loss, i === 0 ? 1e-5 : 1e-3, `step ${i + 1}`));
    near(model.validate(), column("val_loss").at(-1), 1e-3, "validation");
    assert(losses.at(-1) < losses[0] - 0.5, "the loss does not fall, so its agreement proves little");
    return model;
}

// Both score the same tokens in the same windows.
function compareLosses(model, stretch, file) {
    const column = table(file), losses = column("nats");
    assert(losses.length > 0, `${file} has no rows`);
    column("context").forEach((length, i) => near(model.lossAt(length), losses[i], 1e-3, `${stretch}, ${length} tokens`));
}

// Native kernels and the module's differ in the last bits, which rarely changes a choice between two bytes: one
// continuation of eight may differ. Bytes that are not UTF-8 become the same characters on both sides.
function compareSamples(model, stretch, folder, prompts) {
    const names = fs.readdirSync(folder), different = [];
    for (const name of names) {
        const prompt = fs.readFileSync(path.join(prompts, name)), all = fs.readFileSync(path.join(folder, name));
        const there = new TextDecoder().decode(all.subarray(prompt.length, -1)); // without the final line feed
        const here = model.sample(prompt.toString(), 8);
        if (here !== there) different.push(`after '${prompt}' the module writes '${here}', bitter '${there}'`);
    }
    assert(names.length >= 8 && different.length <= names.length / 8, `${stretch}: ${different.join("; ")}`);
}

run(async () => {
    const [options, directory, prompts] = process.argv.slice(2);
    const model = await train(options, path.join(directory, "log.csv"));
    const stretches = fs.readdirSync(directory).map((file) => /^eval-(.*)\.csv$/.exec(file)?.[1]).filter(Boolean);
    assert(stretches.includes("none"), `no eval-none.csv in ${directory}`);
    for (const stretch of stretches) {
        model.stretch(stretch.replace("-", " "));
        compareLosses(model, stretch, path.join(directory, `eval-${stretch}.csv`));
        compareSamples(model, stretch, path.join(directory, `sample-${stretch}`), prompts);
    }
});
