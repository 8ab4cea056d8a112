"use strict";
// node refusals.js: the module refuses in a sentence what it cannot measure.
const assert = require("assert");
const { load, run } = require("./page.js");

const small = "--layers 1 --heads 1 --width 4 --batch 1 --eval-tokens 100";

run(async () => {
    let model = await load("float");
    model.start(`${small} --context 16 --pos learned --data builtin:tales:bytes=1e5`);
    assert.throws(() => model.lossAt(17), /learned is not defined past 16/);
    assert.throws(() => model.lossAt(20000), /20000/);
    assert.throws(() => model.lossAt(0), /at least 1 token/);

    // The exercises of a task are shorter than a window, so that a window can be longer than the validation text.
    model = await load("float");
    model.start(`${small} --context 150000 --data builtin:copy:max=2`);
    assert.throws(() => model.attention(), /150000 tokens.* --context/);
});
