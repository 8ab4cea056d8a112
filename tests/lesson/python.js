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
`;

run(async () => {
    const c = new Numbers(await load("double"));
    const python = spawnSync("python3", ["-"], { input: blocks.join("\n\n") + ASK, encoding: "utf8" });
    assert.equal(python.status, 0, python.stderr);
    const found = python.stdout.trim().split(/\s+/).map(Number);
    const expected = [c.theta(1000, 3, 16), ...c.forward([0.3, -1.2], 0.7), ...c.backward([0.3, -1.2], 0.7)];
    for (let t = 0; t < 3; t++) expected.push(...c.backward([1, 2], t), ...c.backward([3, -1], 0.1 * t));
    assert.equal(found.length, expected.length, python.stdout);
    found.forEach((number, i) => assert(Math.abs(number - expected[i]) < 1e-12, `number ${i}: Python ${number}, C ${expected[i]}`));
});
