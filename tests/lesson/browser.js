// A headless Chromium that opens one page from disk, over --remote-debugging-pipe: no package is needed.
"use strict";
const { spawn } = require("child_process");

class Browser {
    // `profile` is an empty directory for Chromium's own files.
    constructor(executable, profile) {
        this.child = spawn(executable, ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            "--user-data-dir=" + profile], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        Object.assign(this, { last: 0, waiting: new Map(), errors: [], requests: [], rest: "" });
        this.child.stdio[4].on("data", (data) => {
            const messages = (this.rest + data).split("\0");
            this.rest = messages.pop();
            for (const message of messages) this.receive(JSON.parse(message));
        });
        this.child.on("exit", () => {
            for (const { reject } of this.waiting.values()) reject(new Error("Chromium ended"));
        });
    }

    receive({ id, result, error, method, params }) {
        if (id) {
            const { resolve, reject, name } = this.waiting.get(id);
            this.waiting.delete(id);
            return error ? reject(new Error(name + ": " + error.message)) : resolve(result);
        }
        this.notice(method, params);
    }

    // Records what the page must not do: errors on the console, requests to anything but itself.
    notice(method, params) {
        if (method === "Target.attachedToTarget") {
            for (const domain of ["Runtime", "Network", "Log"]) this.send(domain + ".enable", {}, params.sessionId).catch(() => {});
            this.send("Runtime.runIfWaitingForDebugger", {}, params.sessionId).catch(() => {});
        } else if (method === "Runtime.exceptionThrown") {
            const { text, exception } = params.exceptionDetails;
            this.errors.push(text + " " + (exception?.description ?? ""));
        } else if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
            this.errors.push(params.args.map((a) => a.value ?? a.description).join(" "));
        } else if (method === "Log.entryAdded" && params.entry.level === "error") {
            this.errors.push(params.entry.text);
        } else if (method === "Network.requestWillBeSent" && !/^(data|blob):/.test(params.request.url)) {
            this.requests.push(params.request.url);
        }
    }

    send(method, params = {}, session = this.session) {
        const id = ++this.last;
        const message = { id, method, params, ...(session ? { sessionId: session } : {}) };
        this.child.stdio[3].write(JSON.stringify(message) + "\0");
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, name: method }));
    }

    // features: {"prefers-color-scheme": "dark"}
    async open(url, width, height, features = {}) {
        if (!this.session) {
            const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
            this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
            for (const domain of ["Runtime", "Network", "Log", "Page"]) await this.send(domain + ".enable");
            await this.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
        }
        await this.look(width, height, features);
        await this.send("Page.navigate", { url });
    }

    async look(width, height, features = {}) {
        await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
        await this.send("Emulation.setEmulatedMedia", {
            features: Object.entries(features).map(([name, value]) => ({ name, value })) });
    }

    // The value of an expression in the page; awaits promises.
    async evaluate(expression) {
        const { result, exceptionDetails } = await this.send("Runtime.evaluate",
            { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    // Waits until the expression is true; fails with `what` after so many seconds.
    async until(expression, what, seconds = 60) {
        for (let i = 0; i < seconds * 10; i++) {
            if (await this.evaluate(expression)) return;
            await new Promise((resolve) => setTimeout(resolve, 100));
        }
        throw new Error("waited in vain for " + what);
    }

    // Presses a key as a reader would: "ArrowRight", "Tab", " ", "Enter".
    async press(key, modifiers = 0) {
        const code = { " ": 32, Tab: 9, Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Home: 36, End: 35 }[key];
        const text = { " ": " ", Enter: "\r" }[key];
        const event = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: code, modifiers, ...(text ? { text } : {}) };
        await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    }

    async drag(from, to) {
        const mouse = (type, p, buttons) => this.send("Input.dispatchMouseEvent",
            { type, x: p[0], y: p[1], button: "left", buttons, clickCount: 1 });
        await mouse("mousePressed", from, 1);
        await mouse("mouseMoved", [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], 1);
        await mouse("mouseMoved", to, 1);
        await mouse("mouseReleased", to, 0);
    }

    // A picture (PNG, base64) of an element.
    async picture(selector) {
        const box = await this.evaluate(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
            return {x: 0, y: b.top + scrollY, width: innerWidth, height: b.height}; })()`);
        const { data } = await this.send("Page.captureScreenshot", { clip: { ...box, scale: 1 }, captureBeyondViewport: true });
        return data;
    }

    async close() {
        const ended = new Promise((resolve) => this.child.once("exit", resolve));
        this.send("Browser.close", {}, null).catch(() => {});
        const timer = setTimeout(() => this.child.kill("SIGKILL"), 5000);
        await ended;
        clearTimeout(timer);
    }
}

module.exports = { Browser };
