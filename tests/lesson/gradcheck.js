"use strict";
// node gradcheck.js SCHEME TABLE: does the page's module come to the same verdicts, tensor by tensor, as in the lines
// "tensor error ok|FAILED" that `bitter gradcheck` has printed to the file TABLE?
const assert = require("assert");
const fs = require("fs");
const { load, run } = require("./page.js");

run(async () => {
    const [scheme, table] = process.argv.slice(2);
    const rows = fs.readFileSync(table, "utf8").split("\n").map((line) => line.match(/^  (\S.*?) +(\S+)  (ok|FAILED)$/));
    const there = rows.filter(Boolean).map(([, name, worst, verdict]) => ({ name, worst: +worst, ok: verdict === "ok" }));
    const here = (await load("double")).gradcheck(scheme);
    assert(there.length > 20, `bitter names ${there.length} tensors`);
    assert.deepStrictEqual(here.map((t) => t.name), there.map((t) => t.name));
    here.forEach((tensor, i) => {
        const message = `${tensor.name}: the module has ${tensor.worst}, bitter ${there[i].worst}`;
        assert.equal(tensor.ok, there[i].ok, message);
        assert(tensor.ok || Math.abs(tensor.worst - there[i].worst) <= 0.01 * there[i].worst, message);
    });
    process.stdout.write(here.every((tensor) => tensor.ok) ? "all are right\n" : "some are wrong\n");
});
