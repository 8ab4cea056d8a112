"use strict";
// For the tests: the parts embedded in the page, whose file is named in the environment. Node 18 or later.
const fs = require("fs");
const vm = require("vm");

const html = fs.readFileSync(process.env.PAGE, "utf8");

// The text of <script id="..."> in the page.
function script(id) {
    const begin = html.indexOf(`<script id="${id}"`);
    if (begin < 0) throw new Error(`the page has no script "${id}"`);
    return html.slice(html.indexOf(">", begin) + 1, html.indexOf("</script>", begin));
}

// Bitter of the page's wasm.js, in this context.
const Bitter = vm.runInThisContext(script("wasm.js") + "\nBitter");

// Promise of the bytes of a module: "float" or "double".
const bytes = (name) => Bitter.unpack(script("module-" + name));

// Promise of a new Bitter Module.
const load = async (name) => Bitter.load(await bytes(name));

// Run a test and end the program, in spite of open message channels: exit code 1 and a complaint if `test` throws.
function run(test) {
    const failed = (error) => {
        console.log(error.stack);
        process.exit(1);
    };
    Promise.resolve().then(test).then(() => process.exit(0), failed);
}

module.exports = { html, script, Bitter, bytes, load, run };
