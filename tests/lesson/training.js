"use strict";
// node training.js OPTIONS LOG: does the page's module come to the losses in the log of `bitter train OPTIONS`?
const assert = require("assert");
const fs = require("fs");
const { load, run } = require("./page.js");

run(async () => {
    const [options, log] = process.argv.slice(2);
    const [names, ...rows] = fs.readFileSync(log, "utf8").trim().split("\n").map((line) => line.split(","));
    const column = (name) => {
        assert(names.includes(name), `the log has no column ${name}`);
        return rows.map((row) => Number(row[names.indexOf(name)]));
    };
    const losses = column("train_loss"), model = await load("float");
    const shape = model.start(options);
    assert(losses.length === shape.steps && shape.steps >= 100, `${losses.length} of ${shape.steps} steps`);
    losses.forEach((loss, i) => {
        const here = model.step(), tolerance = i === 0 ? 1e-5 : 1e-3;
        assert(Math.abs(here - loss) <= tolerance, `step ${i + 1}: the module has ${here}, bitter ${loss}`);
    });
    const validated = model.validate(), there = column("val_loss").at(-1);
    assert(Math.abs(validated - there) <= 1e-3, `validation: the module has ${validated}, bitter ${there}`);
    assert(losses.at(-1) < losses[0] - 0.5, "the loss does not fall, so its agreement proves little");
});
