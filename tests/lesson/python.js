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

run(async () => {
    const c = new Numbers(await load("double")), task = [16, 24, 1.5, 12], { dtheta } = c.task(0.2, task);
    const steps = `print(pair_task_step(0.2, 0.01, ${dtheta}), pair_task_step(0.2, 1e-4, ${dtheta}))\n`;
    const python = spawnSync("python3", ["-"], { input: blocks.join("\n\n") + ASK + steps, encoding: "utf8" });
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
    assert.equal(found.length, expected.length, python.stdout);
    found.forEach((number, i) => assert(Math.abs(number - expected[i]) < 1e-12, `number ${i}: Python ${number}, C ${expected[i]}`));
});
