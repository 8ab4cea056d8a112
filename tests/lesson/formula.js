"use strict";
// node formula.js FILE...: each file is a formula, or a text that the program refuses with the words of FILE.said. The
// module says the same; a formula's derivatives agree with measured ones.
const assert = require("assert");
const fs = require("fs");
const { load, run } = require("./page.js");

run(async () => {
    const model = await load("double");
    let read = 0, refused = 0;
    for (const file of process.argv.slice(2)) {
        const text = fs.readFileSync(file, "utf8");
        if (fs.existsSync(file + ".said")) {
            const said = fs.readFileSync(file + ".said", "utf8"), place = /line \d+, column \d+ .*/.exec(said)[0];
            assert.throws(() => model.table("lesson_formula", text), (error) => error.message === "the formula, " + place, `${file}: ${place}`);
            refused++;
            continue;
        }
        const [[form, line], ...params] = model.table("lesson_formula", text), each = 1 + 2 * params.length, count = form === "1" ? 8 : 64;
        assert(!line.includes("\n") && ["0", "1", "2"].includes(form), `${file}: ${form} ${line}`);
        for (const head of [0, 3]) {
            model.numbers.set(params.map((words) => Number(words[3 + head])), 4000);
            model.c.lesson_formula_at(model.address, model.address + 8 * 4000, head, head, count);
            const all = Array.from(model.numbers.slice(0, count * each));
            assert(all.every(Number.isFinite) && all.some((x) => x !== 0), `${file}: values`);
            for (let n = 0; n < all.length; n++)
                if (n % each % 2 === 1) assert(Math.abs(all[n] - all[n + 1]) <= 1e-6 * Math.max(1, Math.abs(all[n])), `${file}: ${all[n]} and, measured, ${all[n + 1]}`);
        }
        read++;
    }
    assert(read >= 3 && refused >= 3, `${read} were read, ${refused} refused`);

    // Where the page's model has no finite number; and beside a mistake's name, which stands behind the formula.
    assert.throws(() => model.table("lesson_formula", "bias(d) = 1 / d"), /division by zero at distance 0/);
    assert.throws(() => model.table("lesson_formula", "rope"), /line 1, column 5 /);
    assert(model.gradcheck("{bias(d) = broken * d; broken=1}").every((tensor) => tensor.ok), "a parameter may be called broken");

    // It trains, and its parameters with it.
    const trainer = await load("float");
    const shape = trainer.start("--pos {bias(d) = -a * d;  a = 1 per head} --layers 1 --heads 2 --width 16 --context 16 --batch 2 --data builtin:tales:bytes=2e4");
    assert.strictEqual(shape.positional, 2);
    assert(trainer.step() < 7);
    assert.throws(() => trainer.start("--pos {bias(d) = -d --layers 1"), /'}'/);
});
