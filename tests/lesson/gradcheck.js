"use strict";
// node gradcheck.js SCHEME OUTPUT: does the page's module give the same verdicts, tensor by tensor, as the lines
// "tensor error ok|FAILED" that `bitter gradcheck` printed to the file OUTPUT?
// node gradcheck.js --controls OUTPUT: the same for every planted mistake whose sentence is a line of OUTPUT, with the
// tensors below it; each mistake spoils some gradient.
const assert = require("assert");
const fs = require("fs");
const { load, run } = require("./page.js");

// [{title, tensors: [{name, worst, ok}]}]: a title is a line that is not indented.
function sections(output) {
    const found = [];
    for (const line of output.split("\n")) {
        const row = line.match(/^  (\S.*?) +(\S+)  (ok|FAILED)$/);
        if (row) found.at(-1).tensors.push({ name: row[1], worst: Number(row[2]), ok: row[3] === "ok" });
        else if (/^\S/.test(line)) found.push({ title: line, tensors: [] });
    }
    return found;
}

function compare(here, there) {
    assert(there.length > 20, `bitter names ${there.length} tensors`);
    assert.deepStrictEqual(here.map((tensor) => tensor.name), there.map((tensor) => tensor.name));
    here.forEach((tensor, i) => {
        const message = `${tensor.name}: the module has ${tensor.worst}, bitter ${there[i].worst}`;
        assert.equal(tensor.ok, there[i].ok, message);
        assert(tensor.ok || Math.abs(tensor.worst - there[i].worst) <= 0.01 * there[i].worst, message);
    });
}

run(async () => {
    const [scheme, file] = process.argv.slice(2), module = await load("double");
    const printed = sections(fs.readFileSync(file, "utf8"));
    if (scheme !== "--controls") return compare(module.gradcheck(scheme), printed[0].tensors);
    let count = 0;
    for (const mistake of module.mistakes()) {
        const control = printed.find(({ title }) => title.includes(mistake.sentence));
        if (!control) continue;
        const here = module.gradcheck(`${mistake.scheme} broken=${mistake.name}`);
        compare(here, control.tensors);
        assert(here.some((tensor) => !tensor.ok) && here.some((tensor) => tensor.ok), mistake.name);
        count++;
    }
    assert(count >= 2, `${count} planted mistakes are among the controls`);
});
