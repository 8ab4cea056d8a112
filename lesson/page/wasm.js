"use strict";
// The program's own C code, as a WebAssembly module: loading one, calling it, and keeping one in a worker. This file
// runs in the page, in workers and under node. lesson/module.h says what each function of a module does.
const Bitter = (() => {
    // --- from text to bytes ---

    // Base64 of gzip -> Promise of a Uint8Array.
    async function unpack(base64) {
        const characters = atob(base64), packed = new Uint8Array(characters.length);
        for (let i = 0; i < packed.length; i++) packed[i] = characters.charCodeAt(i);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    // The module that is embedded in this page: "float" to train, "double" to check gradients. Promise of its bytes.
    const embeddedModules = {};
    function embedded(name) {
        embeddedModules[name] ??= unpack(document.getElementById("module-" + name).textContent);
        return embeddedModules[name];
    }

    // --- the few functions of an operating system that the modules import ---

    const BAD_FILE = 8, NOT_THERE = 52; // errors of WASI

    // `memory()` returns the module's memory. What the module writes to standard error goes to the console.
    function system(memory) {
        const view = () => new DataView(memory().buffer);
        const calls = {
            clock_time_get(clock, precision, result) {
                const now = clock === 0 ? Date.now() : performance.now();
                view().setBigUint64(result, BigInt(Math.round(now * 1e6)), true);
                return 0;
            },
            fd_write(file, parts, count, result) {
                if (file !== 1 && file !== 2) return BAD_FILE;
                let text = "", size = 0;
                for (let i = 0; i < count; i++) {
                    const at = view().getUint32(parts + 8 * i, true), length = view().getUint32(parts + 8 * i + 4, true);
                    text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, length));
                    size += length;
                }
                if (text.trim()) console.error(text.trimEnd());
                view().setUint32(result, size, true);
                return 0;
            },
            proc_exit(code) {
                throw new Error("the module ended with exit code " + code);
            },
        };
        for (const name of ["fd_close", "fd_seek", "fd_fdstat_get", "fd_pread", "fd_read"]) calls[name] = () => BAD_FILE;
        return new Proxy(calls, { get: (known, name) => known[name] ?? (() => NOT_THERE) });
    }

    // --- a module ---

    // One instance of a module. A method whose C function fails throws an Error with the function's sentence.
    class Module {
        constructor(instance) {
            this.c = instance.exports; // the C functions, to be called with numbers and addresses
            this.c._initialize();
        }

        // Strings both ways. The address is asked for each time, because memory may move when it grows.
        get text() {
            const bytes = new Uint8Array(this.c.memory.buffer, this.c.lesson_text(), 1 << 16);
            return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
        }
        set text(string) {
            const bytes = new TextEncoder().encode(string);
            if (bytes.length >= 1 << 16) throw new Error("the text is longer than 65535 bytes");
            const to = new Uint8Array(this.c.memory.buffer, this.c.lesson_text(), bytes.length + 1);
            to.set(bytes);
            to[bytes.length] = 0;
        }

        // Numbers in memory: a view that is valid until the next call into the module.
        view(address, count) {
            return new Float64Array(this.c.memory.buffer, address, count);
        }
        // The module's scratch array of 4096 numbers; `address + 8 * i` is the address of number i.
        get address() {
            return this.c.lesson_numbers();
        }
        get numbers() {
            return this.view(this.address, 4096);
        }

        succeed(status) {
            if (status !== 0) throw new Error(this.text);
        }
        number(value) {
            if (Number.isNaN(value)) throw new Error(this.text);
            return value;
        }
        array(address) {
            if (address === 0) throw new Error(this.text);
            return Array.from(this.view(address, this.c.lesson_count()));
        }

        // --- training (the module "float") ---
        start(options) {
            this.text = options;
            this.succeed(this.c.lesson_start());
            return this.shape();
        }
        shape() {
            const names = ["layers", "heads", "width", "context", "batch", "steps", "parameters", "positional", "step"];
            const values = this.array(this.c.lesson_shape());
            return Object.fromEntries(names.map((name, i) => [name, values[i]]));
        }
        step() {
            return this.number(this.c.lesson_step());
        }
        validate() {
            return this.number(this.c.lesson_validate());
        }
        lossAt(length) {
            return this.number(this.c.lesson_loss_at(length));
        }
        stretch(method) {
            this.text = method;
            this.succeed(this.c.lesson_stretch());
        }
        sample(prompt, tokens) {
            this.text = prompt;
            this.succeed(this.c.lesson_sample(tokens));
            return this.text;
        }
        // attention[layer][head][distance]
        attention() {
            const { layers, heads, context } = this.shape();
            const all = this.array(this.c.lesson_attention());
            const row = (l, h) => all.slice((l * heads + h) * context, (l * heads + h + 1) * context);
            return Array.from({ length: layers }, (_, l) => Array.from({ length: heads }, (_, h) => row(l, h)));
        }
        // frequencies[head][pair]
        frequencies(layer) {
            const { heads } = this.shape();
            const all = this.array(this.c.lesson_frequencies(layer)), pairs = all.length / heads;
            return Array.from({ length: heads }, (_, h) => all.slice(h * pairs, (h + 1) * pairs));
        }

        // --- checks (the module "double") ---
        // What a function without arguments makes of the text: rows of words.
        table(name, text) {
            this.text = text;
            this.succeed(this.c[name]());
            return this.text.trimEnd().split("\n").map((line) => line.split("\t"));
        }
        // [{name, worst, ok}] of each tensor; scheme: "rope" or "rope broken=sign".
        gradcheck(scheme) {
            const rows = this.table("lesson_gradcheck", scheme);
            return rows.map(([name, worst, verdict]) => ({ name, worst: Number(worst), ok: verdict === "ok" }));
        }
        // [{name, sentence, scheme}] of each planted mistake
        mistakes() {
            return this.table("lesson_mistakes", "").map(([name, sentence, scheme]) => ({ name, sentence, scheme }));
        }
        // [{name, tells, applies, error, tolerance, notices}] of each check of a scheme with this mistake
        checks(mistake) {
            return this.table("lesson_checks", mistake).map(([name, tells, error, tolerance, verdict]) => ({
                name, tells, applies: error !== "-", error: Number(error), tolerance: Number(tolerance),
                notices: verdict === "NOTICED",
            }));
        }
    }

    // Promise of a Module from the bytes of a module.
    async function load(bytes) {
        const imports = { wasi_snapshot_preview1: system(() => instance.exports.memory) };
        const { instance } = await WebAssembly.instantiate(bytes, imports);
        return new Module(instance);
    }

    // --- a module in a worker, so that the page stays free ---

    // The worker runs worker.js, which says which requests there are. request(type, details) -> Promise of the answer,
    // or of an Error with the module's sentence.
    class ModelWorker {
        // onProgress: called with the worker's messages "progress" and "done".
        constructor(name, onProgress) {
            const source = ["wasm.js", "worker.js"].map((id) => document.getElementById(id).textContent).join("\n");
            const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
            this.worker = new Worker(url);
            URL.revokeObjectURL(url);
            this.waiting = new Map();
            this.last = 0;
            this.worker.onmessage = ({ data }) => {
                if (data.id === undefined) return onProgress?.(data);
                const { resolve, reject } = this.waiting.get(data.id);
                this.waiting.delete(data.id);
                if (data.error === undefined) resolve(data.value);
                else reject(new Error(data.error));
            };
            this.ready = embedded(name).then((bytes) => this.post("load", { bytes }));
        }
        post(type, details) {
            const id = ++this.last;
            return new Promise((resolve, reject) => {
                this.waiting.set(id, { resolve, reject });
                this.worker.postMessage({ ...details, type, id });
            });
        }
        async request(type, details) {
            await this.ready;
            return this.post(type, details);
        }
        // Requests that are under way are never answered.
        end() {
            this.worker.terminate();
        }
    }

    return { unpack, embedded, load, ModelWorker };
})();
if (typeof module !== "undefined") module.exports = Bitter;
