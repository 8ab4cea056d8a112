// Reads the page as a reader would: node reader.js CHROMIUM PAGE PROFILE. Prints TAP.
"use strict";
const { pathToFileURL } = require("url");
const { Browser } = require("./browser.js");

const [, , executable, file, profile] = process.argv;
const browser = new Browser(executable, profile), url = pathToFileURL(file).href;
const js = JSON.stringify;
let count = 0, failures = 0;

// A test passes when `complaints` is empty.
function report(name, complaints) {
    const bad = [].concat(complaints);
    if (bad.length) failures++;
    console.log((bad.length ? "not ok " : "ok ") + ++count + " - " + name);
    for (const line of bad.slice(0, 12)) console.log("# " + String(line).replace(/\n/g, "\n# "));
}

async function test(name, body) {
    try {
        report(name, (await body()) ?? []);
    } catch (error) {
        report(name, error.stack);
    }
}

async function open(width, features) {
    await browser.open(url, width, 900, features);
    await browser.until(`location.protocol === "file:" && document.readyState === "complete" &&
        document.getElementById("status")?.textContent === ""`, "the sections to start");
}

// --- in the page ---

// All that the reader sees or hears of a section besides its inputs, as one string.
const seen = (section) => `(() => { const s = document.querySelector(${js(section)});
    return s.innerText + [...s.querySelectorAll("svg")].map(v => v.getAttribute("aria-label")).join("|"); })()`;

const unlabelled = `[...document.querySelectorAll("input, select, button")].filter(e =>
    !(e.labels?.length && e.labels[0].textContent.trim()) && !e.getAttribute("aria-label") && !(e.tagName === "BUTTON" && e.textContent.trim()))
    .map(e => "no label: " + e.outerHTML)`;
const undescribed = `[...document.querySelectorAll("svg:not([aria-hidden])")].filter(v =>
    v.getAttribute("role") !== "img" || (v.getAttribute("aria-label") ?? "").length < 20 || /NaN|undefined|Infinity/.test(v.getAttribute("aria-label")))
    .map(v => "no words for a picture of " + v.closest("section").id + ": " + v.getAttribute("aria-label"))`;
const odd = `[...document.querySelectorAll("section, header")].filter(s => /NaN|undefined|Infinity|\\[object|{{/.test(s.innerText))
    .map(s => (s.id || "header") + " shows " + s.innerText.match(/.{0,40}(NaN|undefined|Infinity|\\[object|{{).{0,40}/)[0])`;
const overflowing = `(() => { const w = document.documentElement, bad = [];
    if (w.scrollWidth > w.clientWidth) bad.push("the page is " + w.scrollWidth + " pixels wide, the window " + w.clientWidth);
    for (const e of document.querySelectorAll("body *")) if (e.getBoundingClientRect().right > w.clientWidth + 1 && !e.closest(".scroll, pre, svg"))
        bad.push(e.tagName + "." + e.className + " of " + e.closest("section")?.id + " ends at " + e.getBoundingClientRect().right);
    return bad; })()`;

// --- by keyboard alone ---

// The element that has the focus: what it is, and whether it had it before.
const focused = `(() => { const e = document.activeElement;
    if (e === document.body) return null;
    const known = "reached" in e.dataset;
    e.dataset.reached = "";
    return {known, tag: e.tagName, type: e.type, name: e.name, section: e.closest("section")?.id ?? "header",
        text: e.textContent.trim(), disabled: e.disabled, value: e.type === "checkbox" ? e.checked : e.value,
        open: e.parentElement.open}; })()`;

// Uses the element that has the focus and returns what is wrong with how the page answered.
async function use(element) {
    const before = await browser.evaluate(seen(element.section === "header" ? "header" : "#" + element.section));
    const again = async () => (await browser.evaluate(focused)) ?? {};
    const name = `${element.section}: ${element.tag} ${element.name || element.text}`;
    if (element.tag === "SUMMARY") {
        await browser.press("Enter");
        return (await again()).open === element.open ? [name + " does not open or close"] : [];
    }
    if (element.type === "checkbox") {
        await browser.press(" ");
        if ((await again()).value === element.value) return [name + " is not ticked by the space bar"];
        await browser.press(" ");
        return [];
    }
    if (element.type === "range") {
        // Away from the end at which it may stand, by some steps, so that shown digits change.
        const key = await browser.evaluate("document.activeElement.valueAsNumber >= +document.activeElement.max ? 'ArrowLeft' : 'ArrowRight'");
        for (let i = 0; i < 3; i++) await browser.press(key);
        if ((await again()).value === element.value) return [name + " is not moved by arrows"];
        const moved = await browser.evaluate(seen("#" + element.section));
        await browser.press("Home");
        await browser.press("End");
        return before === moved && before === await browser.evaluate(seen("#" + element.section)) ? [name + " changes nothing that is shown"] : [];
    }
    if (element.tag === "SELECT" || element.type === "number") {
        await browser.press("ArrowUp");
        if ((await again()).value === element.value) await browser.press("ArrowDown");
        return (await again()).value === element.value ? [name + " is not changed by arrows"] : [];
    }
    return [];
}

async function byKeyboard() {
    const bad = [];
    let reached = 0;
    await browser.evaluate("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); scrollTo(0, 0)");
    for (; reached < 400; reached++) {
        await browser.press("Tab");
        const element = await browser.evaluate(focused);
        if (!element || element.known) break;
        bad.push(...await use(element));
    }
    bad.push(...await browser.evaluate(`[...document.querySelectorAll("input, select, button, summary, a[href]")].filter(e =>
        !("reached" in e.dataset) && !e.disabled && e.getClientRects().length > 0 && !(e.type === "radio" && !e.checked))
        .map(e => "not reached by Tab: " + e.closest("section")?.id + ": " + e.outerHTML.slice(0, 80))`));
    if (reached < 70) bad.push("only " + reached + " elements were reached");
    return bad;
}

// --- by mouse ---

async function handles() {
    const total = await browser.evaluate(`document.querySelectorAll("#distance form, #torque form, #slope form").forEach(f => { f.reset(); f.dispatchEvent(new Event("input")); });
        document.querySelectorAll(".handle").length`), bad = [];
    for (let i = 0; i < total; i++) {
        const where = `(() => { const h = document.querySelectorAll(".handle")[${i}]; h.scrollIntoView({block: "center", behavior: "instant"});
            const b = h.getBoundingClientRect(), f = (h.closest(".bench")).querySelector("form");
            return {x: b.x + b.width / 2, y: b.y + b.height / 2, section: h.closest("section").id,
                values: [...f.elements].filter(e => e.type === "range").map(e => e.value).join(" ")}; })()`;
        // A smooth scroll to what had the focus may still be under way.
        let before = await browser.evaluate(where), last = null;
        while (before.y !== last?.y) {
            last = before;
            await new Promise((resolve) => setTimeout(resolve, 100));
            before = await browser.evaluate(where);
        }
        // What is at one end of its way moves the other way.
        for (const [right, down] of [[-25, 30], [45, 40]]) {
            await browser.drag([before.x, before.y], [before.x + right, before.y + down]);
            if ((await browser.evaluate(where)).values !== before.values) break;
        }
        if ((await browser.evaluate(where)).values === before.values) bad.push(`handle ${i} of ${before.section} moves no input`);
    }
    if (total < 8) bad.push(`there are only ${total} handles`);
    return bad;
}

// --- section by section ---

// Presses a button or chooses a radio button, by keyboard.
async function click(selector) {
    const type = await browser.evaluate(`(() => { const e = document.querySelector(${js(selector)}); e.focus(); return e.type; })()`);
    await browser.press(type === "radio" ? " " : "Enter");
}
const textOf = (selector) => browser.evaluate(`document.querySelector(${js(selector)}).innerText`);
const set = (selector, value) => browser.evaluate(`(() => { const e = document.querySelector(${js(selector)});
    if (e.type === "checkbox") e.checked = ${js(value)}; else e.value = ${js(value)};
    e.dispatchEvent(new Event("input", {bubbles: true})); })()`);

// The first picture stands at the top, with few words before it.
async function pictureComesFirst() {
    const bad = [];
    for (const [width, height, limit] of [[1280, 800, 500], [360, 740, 420]]) {
        await browser.look(width, height);
        const {top, words} = await browser.evaluate(`new Promise(resolve => setTimeout(resolve, 300)).then(() => {
            const picture = document.querySelector("svg.plane"), range = document.createRange();
            range.setStart(document.querySelector("h1"), 0);
            range.setEndBefore(picture);
            return {top: picture.getBoundingClientRect().top + scrollY, words: range.toString().trim().split(/\\s+/).length}; })`);
        if (top > limit) bad.push(`at ${width} pixels the first picture begins at ${top}`);
        if (words > 50) bad.push(words + " words stand before the first picture"); // 10 of them are those of <noscript>
    }
    await browser.look(1280, 900);
    return bad;
}

// The first choice shows the answer and what it lets the reader see; wrong choices are marked.
async function guessesAreAnswered() {
    const bad = [];
    for (const section of ["clock", "back", "length", "own"]) {
        const buttons = await browser.evaluate(`[...document.querySelectorAll("#${section} .ask button")].map(b => "right" in b.dataset)`);
        const state = () => browser.evaluate(`(() => { const s = document.getElementById("${section}"), shown = e => !e || e.getClientRects().length > 0;
            return {answer: shown(s.querySelector(".ask .answer")), later: shown(s.querySelector(".later")),
                marks: [...s.querySelectorAll(".ask button")].map(b => b.className + b.getAttribute("aria-pressed")).join(" ")}; })()`);
        if (buttons.filter(Boolean).length !== 1) bad.push(section + ": right answers: " + buttons);
        if ((await state()).answer) bad.push(section + ": the answer is shown before the guess");
        await click(`#${section} .ask button:not([data-right])`);
        const { answer, later, marks } = await state();
        if (!answer || !later || !/wrongtrue/.test(marks) || !/rightfalse/.test(marks)) bad.push(`${section}: ${js({ answer, later, marks })}`);
    }
    await browser.until(`document.querySelector("#clock [name=t]").value === "11"`, "the hand to go round", 20);
    return bad;
}

// No picture slides over what stands below it while the page is scrolled.
async function planesCoverNothing() {
    await browser.look(1280, 900);
    return browser.evaluate(`(async () => { const bad = [], root = document.documentElement;
        root.style.scrollBehavior = "auto";
        for (const plane of document.querySelectorAll(".plane")) {
            const all = [...plane.parentElement.children], below = all.slice(all.indexOf(plane) + 1), {top, height} = plane.parentElement.getBoundingClientRect(), begin = top + scrollY;
            let worst = 0, what = null;
            for (let y = begin - 100; y < begin + height; y += 80) {
                scrollTo(0, y);
                await new Promise(requestAnimationFrame);
                const p = plane.getBoundingClientRect();
                for (const other of below) {
                    const o = other.getBoundingClientRect(), covered = Math.min(p.bottom, o.bottom) - Math.max(p.top, o.top);
                    if (Math.min(p.right, o.right) - Math.max(p.left, o.left) > 1 && covered > Math.max(1, worst)) [worst, what] = [covered, other];
                }
            }
            if (what) bad.push(plane.closest("section").id + ": the picture covers " + worst + " pixels of " + (what.className.baseVal ?? what.className) + " " + what.textContent.trim().slice(0, 30));
        }
        root.style.scrollBehavior = "";
        scrollTo(0, 0);
        return bad; })()`);
}

// Whoever gives M its error while the position is still on its way sees the numbers that the text promises.
async function positionArrives() {
    const before = await browser.evaluate(`document.querySelector("#length .ask [data-right]").click(); document.querySelector("#length [name=t]").value`);
    await set("#length [name=error]", 1);
    await browser.until(`document.querySelector("#length [name=t]").value === "300"`, "the position to arrive", 10);
    const shown = await textOf("#length [data-show=matrix]");
    await open(1280, { "prefers-color-scheme": "light" });
    return before === "0" && /^4\.4/.test(shown) ? [] : [`from ${before} to 300, M makes ${shown} of 1`];
}

// With the right sign the copy moves along dy and the loss rises as much as it can; with the wrong one it does not.
async function copyGoesAstray() {
    const bad = [], verdict = () => textOf("#back .verdict"), gain = () => textOf("#back [data-show=gain]");
    const rests = () => browser.until(`document.querySelector("#back [name=step]").value === "65"`, "the dot to arrive", 5);
    const expect = async (words, share, what) => {
        if (!words.test(await verdict()) || !share.test(await gain())) bad.push(`${what}: ${await verdict()} ${await gain()}`);
    };
    await set("#back [name=flipped]", false);
    await rests();
    await set("#back [name=angle]", 70);
    await set("#back [name=aside]", 0);
    await expect(/moves along/, /^rises 100%/, "right sign");
    await set("#back [name=flipped]", true);
    await rests();
    await expect(/leaves/, /^falls 77%/, "wrong sign"); // cos 140 degrees
    await set("#back [name=angle]", 180);
    await expect(/moves along/, /^rises 100%/, "wrong sign at 180 degrees");
    await set("#back [name=flipped]", false);
    return bad;
}

async function wrongSignIsMeasured() {
    const bad = [], verdict = () => textOf("#slope .verdict"), expect = async (words, what) => {
        if (!words.test(await verdict())) bad.push(`${what}: ${await verdict()}`);
    };
    await set("#slope [name=nudge]", -5);
    await set("#slope [name=flipped]", false);
    await expect(/agree/, "right sign");
    await set("#slope [name=nudge]", 0);
    await expect(/differ: the curve bends/, "large nudge");
    await set("#slope [name=nudge]", -13);
    await expect(/differ: rounding/, "tiny nudge");
    await set("#slope [name=nudge]", -5);
    await set("#slope [name=flipped]", true);
    await expect(/differ at every nudge/, "wrong sign");
    return bad;
}

// Every question has one right answer; a wrong guess is marked and shows the answer, too.
async function laterGuessesAreAnswered() {
    const bad = [], total = await browser.evaluate(`document.querySelectorAll("#distance .ask, #torque .ask, #train .ask, #slope .ask, #broken .ask").length`);
    for (let i = 0; i < total; i++) {
        const box = `document.querySelectorAll("#distance .ask, #torque .ask, #train .ask, #slope .ask, #broken .ask")[${i}]`;
        const words = await browser.evaluate(`${box}.querySelector(".do").innerText`), shown = `${box}.querySelector(".answer").getClientRects().length > 0`;
        if (await browser.evaluate(`${box}.querySelectorAll("[data-right]").length`) !== 1) bad.push(words + ": not one right answer");
        if (await browser.evaluate(shown)) bad.push(words + ": the answer is shown before the guess");
        await browser.evaluate(`${box}.querySelector("button:not([data-right])").focus()`);
        await browser.press("Enter");
        if (!await browser.evaluate(shown)) bad.push(words + ": the guess is not answered");
        if (!await browser.evaluate(`!!${box}.querySelector("button.wrong[aria-pressed=true]") && !!${box}.querySelector("button.right[data-right]")`))
            bad.push(words + ": the guess is not marked");
    }
    return total < 9 ? [...bad, `there are only ${total} questions`] : bad;
}

// Recorded curves are shown in part before the guess, then as a whole; not those of another model.
async function recordedCurvesAreShown() {
    const bad = [], last = () => browser.evaluate(`document.querySelector("#train .curves").getAttribute("aria-label")`);
    const curves = (where) => browser.evaluate(`document.querySelectorAll("${where} .curves .recorded").length`);
    if (await curves("#train") !== 3 || !/rope: \d.\d\d after 5\d steps, recorded/.test(await last())) bad.push("before the guess: " + await last());
    if (await curves(".wrong") !== 2) bad.push("the wrong sign is shown before the guess");
    bad.push(...await laterGuessesAreAnswered());
    await browser.until(`document.querySelectorAll(".wrong .curves .recorded").length === 3`, "the recorded wrong sign", 10);
    await browser.until(`/after 59\\d steps, recorded/.test(document.querySelector("#train .curves").getAttribute("aria-label"))`, "whole curves", 10);
    await browser.until(`/^\\s*All 600 steps\\./.test(document.querySelector("#train .ask .do").textContent)`, "the question to say that all is drawn", 10);
    await browser.until(`document.querySelector("#slope [name=nudge]").value === "-5"`, "the nudge to become 10⁻⁵", 10);
    await set("#train [name=learned]", true);
    if (await curves("#train") !== 4) bad.push("a ticked scheme is not shown");
    await set("#train [name=seed]", 7);
    if (await curves("#train") !== 0) bad.push("curves of another seed are shown");
    await set("#train [name=seed]", 1337);
    await set("#train [name=learned]", false);
    return bad;
}

// The focus on a symbol lights its arrow, the pointer on an arrow its symbol.
async function symbolsAreLinked() {
    const lit = () => browser.evaluate(`[...document.querySelectorAll("#back .lit")].map(e => (e.closest("svg") ? "picture " : "text ") + e.dataset.sym).sort().join()`);
    const bad = [], expect = async (pattern, what) => { if (!pattern.test(await lit())) bad.push(`${what}: ${await lit()} is lit`); };
    await browser.evaluate(`document.querySelector("#back button[data-sym=dx]").focus()`);
    await expect(/^picture dx(,text dx)+$/, "focus on dx");
    await browser.evaluate(`document.activeElement.blur()`);
    await expect(/^$/, "no focus");
    const place = `(() => { const hit = document.querySelector("#back svg [data-sym=y] .hit"); hit.scrollIntoView({block: "center", behavior: "instant"});
        const b = hit.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`;
    // A smooth scroll to what had the focus may still be under way.
    let at = await browser.evaluate(place), last = null;
    while (at[1] !== last?.[1]) {
        last = at;
        await new Promise((resolve) => setTimeout(resolve, 100));
        at = await browser.evaluate(place);
    }
    await browser.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: at[0], y: at[1] });
    await expect(/^picture y(,text y)+$/, "the pointer on y");
    await browser.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: 2, y: 2 });
    return bad;
}

// In each section with an equation, the focus on a symbol lights something in its picture.
async function equationsAreLinked() {
    return browser.evaluate(`(() => { const bad = [], linked = new Set();
        for (const symbol of document.querySelectorAll("main button.sym")) {
            const section = symbol.closest("section");
            symbol.focus();
            if (document.activeElement !== symbol) { bad.push(section.id + ": " + symbol.textContent + " takes no focus"); continue; }
            if (!section.querySelector("svg [data-sym].lit")) bad.push(section.id + ": " + symbol.textContent + " lights nothing");
            linked.add(section.id);
            symbol.blur();
            if (section.querySelector("[data-sym].lit")) bad.push(section.id + ": " + symbol.textContent + " stays lit");
        }
        for (const id of ["clock", "back", "length", "distance", "torque", "layer", "slope", "own"]) if (!linked.has(id)) bad.push(id + " has no linked equation");
        return bad; })()`);
}

// Each name in the key of a chart lights its line.
const unlinkedNames = `[...document.querySelectorAll("ul.key li[data-sym]")].filter(item => { const section = item.closest("section");
    symbols.light(section, item.dataset.sym);
    const found = item.classList.contains("lit") && section.querySelector("svg .lit .curve");
    symbols.light(section, "");
    return !found; }).map(item => "lights no line: " + item.textContent)`;

// Every word with an explanation has one, which the focus shows and Escape hides.
async function wordsExplainThemselves() {
    return browser.evaluate(`(() => { const bad = [], tip = document.getElementById("tip");
        for (const link of document.querySelectorAll("a.word")) {
            const words = document.querySelector(link.hash)?.nextElementSibling.textContent;
            if (words && !link.getClientRects().length) continue; // in a table that training fills
            link.focus();
            if (tip.hidden || !words || tip.textContent !== words) bad.push(link.textContent + ": " + tip.textContent);
            document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
            if (!tip.hidden) bad.push(link.textContent + ": Escape does not hide it");
        }
        if (document.querySelectorAll("a.word").length < 4) bad.push("there are fewer than four such words");
        return bad; })()`);
}

// The number of each citation is that of its reference.
const miscited = `[...document.querySelectorAll("a.cite")].filter(a => { const item = document.querySelector(a.hash);
    return !item || a.textContent !== "[" + (1 + [...item.parentElement.children].indexOf(item)) + "]"; }).map(a => a.outerHTML)`;

// What scrolls sideways on a phone has a place in the order of Tab.
const unscrollable = `[...document.querySelectorAll("pre, .scroll")].filter(e => e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0)
    .map(e => "scrolls, but not by keyboard: " + e.textContent.trim().slice(0, 60))`;

// Contrast with the page and with its panels: of what is read 4.5, of lines 3.
const pale = `(() => { const style = getComputedStyle(document.documentElement), bad = [];
    const channel = hex => { const c = parseInt(hex, 16) / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
    const light = name => { const [r, g, b] = style.getPropertyValue(name).trim().slice(1).match(/../g).map(channel);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
    const contrast = (a, b) => Math.max(light(a), light(b)) / Math.min(light(a), light(b));
    const read = ["ink", "soft", "accent", "forward", "backward", "query", "key", "measured", "wrong", "right",
        ...["none", "learned", "sinusoidal", "rope", "alibi", "content", "other", "own"].map(s => "scheme-" + s)];
    for (const [least, names] of [[4.5, read], [3, ["axis"]]])
        for (const name of names) if (!(contrast("--" + name, "--paper") >= least)) bad.push(name + ": contrast " + contrast("--" + name, "--paper"));
    return bad; })()`;

// Where the system chooses colours, pictures have them, too.
async function systemColours() {
    await browser.look(1280, 900, { "forced-colors": "active" });
    const bad = await browser.evaluate(`(() => { const bad = [], probe = document.createElement("i"), root = document.documentElement;
        document.body.append(probe);
        for (const name of ["paper", "forward", "backward", "axis", "scheme-rope"]) {
            const words = getComputedStyle(root).getPropertyValue("--" + name).trim();
            if (!/^[A-Z][A-Za-z]+$/.test(words)) bad.push(name + " is " + words);
        }
        const seen = getComputedStyle(document.querySelector("#clock svg .arrow.forward")).stroke;
        probe.style.color = "CanvasText";
        if (seen !== getComputedStyle(probe).color) bad.push("an arrow is " + seen + ", text is " + getComputedStyle(probe).color);
        probe.remove();
        return bad; })()`);
    await browser.look(1280, 900);
    return bad;
}

const headings = `(() => { let last = 1; const bad = [];
    for (const h of document.querySelectorAll("h1, h2, h3, h4")) { const level = +h.tagName[1];
        if (level > last + 1) bad.push(h.tagName + " “" + h.textContent + "” follows h" + last); last = level; }
    return bad; })()`;

async function shiftsChangeNothing() {
    const bad = [], stays = async (bench, shift, other, values) => {
        const score = () => textOf(`${bench} [data-show=score]`), first = await score();
        await set(`${bench} [name=${shift}]`, values[0]);
        if (await score() !== first) bad.push(`${bench}: the score ${first} became ${await score()} when both shifted`);
        await set(`${bench} [name=${other}]`, values[1]);
        if (await score() === first) bad.push(`${bench}: the score stayed when one alone moved`);
    };
    await set("#distance [name=m]", 12);
    await set("#distance [name=n]", 4);
    await stays("#distance .couple", "both", "n", [17, 5]);
    await set("#distance [name=distance]", 20);
    await stays("#distance .crowd", "shift", "distance", [200, 22]);
    return bad;
}

async function clocksAreStretched() {
    const bad = [], slowed = async (method) => {
        await set("#distance [name=stretch]", method);
        return browser.evaluate(`[...document.querySelectorAll("#distance .faces text")].map(t => t.textContent)
            .filter(t => t.startsWith("÷ ")).map(t => t.replace("÷ ", "")).join(" ")`);
    };
    await set("#distance [name=factor]", 4);
    const expected = { none: /^(1\.00 ?){8}$/, pi: /^(4\.00 ?){8}$/, ntk: /^1\.00 1\.22 .* 4\.00$/, yarn: /^1\.00 .* 4\.00 4\.00$/ };
    for (const [method, pattern] of Object.entries(expected)) {
        const found = await slowed(method);
        if (!pattern.test(found)) bad.push(`${method}: clocks are slowed down by ${found}`);
        const factorless = await browser.evaluate(`document.querySelector("#distance [name=factor]").disabled`);
        if (factorless !== (method === "none")) bad.push(`${method}: its factor ${factorless ? "cannot" : "can"} be moved`);
    }
    return bad;
}

// A line that leaves the chart ends at its frame, and words say how far it goes.
async function linesEndAtTheFrame() {
    const words = async (error) => {
        await set("#length [name=error]", error);
        return browser.evaluate(`[...document.querySelectorAll("#length .chart text")].map(t => t.textContent).filter(t => /off the chart/.test(t)).join()`);
    };
    await set("#length [name=pair]", 7);
    await set("#length [name=t]", 300);
    const small = await words(1), large = await words(3), shown = await textOf("#length [data-show=matrix]");
    if (small !== "" || large !== "off the chart: " + shown) return [`at 1%: '${small}', at 3%: '${large}', but the table says ${shown}`];
    return browser.evaluate(`[...document.querySelectorAll("#length .chart .curve")].filter(c => !c.hasAttribute("clip-path")).map(c => "not cut: " + c.outerHTML.slice(0, 80))`);
}

// Names of arrows that point the same way do not stand on each other.
async function namesStandApart() {
    const bad = [];
    for (const angle of [0, 3, 70, 180]) {
        await set("#back [name=angle]", angle);
        bad.push(...await browser.evaluate(`[...document.querySelectorAll("#back svg")].flatMap(v => {
            const names = [...v.querySelectorAll("text.name:not(.start)")].map(t => t.getBoundingClientRect()), bad = [];
            names.forEach((a, i) => names.slice(i + 1).forEach(b => { if (a.left < b.right - 2 && b.left < a.right - 2 && Math.abs(a.y - b.y) < 14) bad.push("names meet at ${angle} degrees"); }));
            return bad; })`));
    }
    return bad;
}

async function frequencyComesToRest() {
    await set("#torque .task [name=ago]", 6);
    await set("#torque .task [name=phase]", 1.5);
    await set("#torque .task [name=theta]", 0.4);
    await click("#torque button[name=follow]");
    await browser.until(`document.querySelector("#torque button[name=follow]").textContent === "Follow the torque"`, "the frequency to rest");
    const left = Number((await textOf("#torque .task [data-show=dtheta]")).replace("−", "-"));
    const words = await browser.evaluate(`document.querySelector("#torque .attention").getAttribute("aria-label")`);
    const bad = Math.abs(left) < 0.1 ? [] : ["the gradient of the frequency is still " + left];
    return /is 6 tokens back/.test(words) ? bad : [...bad, words];
}

async function trains() {
    const bad = [];
    await browser.evaluate(`window.tasks = [0]; new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)))
        .observe({type: "longtask"}); 0`);
    await set("#train [name=steps]", 12);
    await set("#train [name=context]", 64);
    await set("#train [name=size]", "--layers 1 --heads 2 --width 32");
    for (const scheme of ["none", "learned", "sinusoidal", "rope", "alibi", "rope-learned"]) await set(`#train [name="${scheme}"]`, true);
    await set("#train [name=others]", "xpos");
    const axis = () => browser.evaluate(`[...document.querySelectorAll("#train .curves .tick.end")].map(t => t.textContent).join(" ")`);
    await click("#train button[type=submit]");
    const begin = await axis();
    await browser.until(`[...document.querySelectorAll("#train .runs tbody tr")].length === 7 &&
        [...document.querySelectorAll("#train .runs tbody tr")].every(r => /^\\d+\\.\\d+$/.test(r.cells[4].textContent))`, "seven trained models");
    if (begin === "" || await axis() !== begin) bad.push(`the axis of the loss went from ${begin} to ${await axis()}`);
    console.log("# longest task of the main thread while seven models trained: " + await browser.evaluate("Math.round(Math.max(...tasks))") + " ms");
    const asked = async (what, expected) => {
        await click(`#train button[name=${what}]`);
        await browser.until(`!document.querySelector("#train button[name=sample]").disabled`, what);
        const found = await browser.evaluate(`document.querySelectorAll("#train .answers ${expected[0]}").length`);
        if (found !== expected[1]) bad.push(`${what}: ${found} of ${expected[1]} ${expected[0]}`);
        bad.push(...await browser.evaluate(undescribed));
    };
    await asked("sample", [".sample", 7]);
    await asked("attention", ["svg[role=img]", 7]);
    await asked("frequencies", ["svg[role=img]", 1]);
    const kept = await textOf("#train .answers p");
    if (!/rope, xpos keep their frequencies/.test(kept) || !/none, learned, sinusoidal, alibi turn no pairs/.test(kept)) bad.push("frequencies: " + kept);
    const factorless = () => browser.evaluate(`document.querySelector("#train [name=factor]").disabled`);
    await set("#train [name=stretch]", "none");
    if (!await factorless()) bad.push("the factor of no stretch can be moved");
    await set("#train [name=stretch]", "yarn");
    if (await factorless()) bad.push("the factor of a stretch cannot be moved");
    await asked("beyond", ["svg[role=img]", 1]);
    const ticks = await browser.evaluate(`[...document.querySelectorAll("#train .answers svg .tick.middle")].map(t => t.textContent).join(" ")`);
    if (!ticks.startsWith("32 64 128 256 ")) bad.push("windows: ticks " + ticks);
    await browser.look(360, 900);
    const drawn = await browser.evaluate(`new Promise(resolve => setTimeout(resolve, 300)).then(() =>
        document.querySelector("#train .answers svg[role=img] .curve").getBBox().width)`);
    if (!(drawn > 100 && drawn < 330)) bad.push(`on a phone, the chart of windows is ${drawn} pixels wide`);
    const cut = await browser.evaluate(`new Promise(resolve => setTimeout(resolve, 300)).then(() => {
        const box = document.querySelector("#train .runs").parentElement; return box.scrollWidth - box.clientWidth; })`);
    if (cut > 0) bad.push("the table of runs is cut off by " + cut + " pixels on a phone");
    await browser.look(1280, 900);
    const refusal = async (words) => {
        await set("#train [name=others]", words);
        await click("#train button[type=submit]");
        return textOf("#train [data-show=error]");
    };
    if (!/“--steps” is not a scheme/.test(await refusal("learned --steps 5"))) bad.push("--steps: " + await textOf("#train [data-show=error]"));
    await set("#train [name=others]", "nonsense");
    await click("#train button[type=submit]");
    await browser.until(`/nonsense/.test(document.querySelector("#train [data-show=error]").textContent)`, "a refusal");
    await browser.until(`/rope/.test(document.querySelector("#train ul.key").innerText) && !/nonsense/.test(document.querySelector("#train ul.key").innerText)`,
        "the refused scheme to leave the legend", 10);
    return bad;
}

// On a phone, the pictures that answer to a slider stay in view while it is moved, and leave room for it.
async function picturesStay() {
    await browser.look(360, 640);
    await browser.evaluate("document.documentElement.style.scrollBehavior = 'auto'; new Promise(resolve => setTimeout(resolve, 400))");
    const bad = await browser.evaluate(`(async () => { const bad = [];
        for (const bench of document.querySelectorAll("#first .bench, #clock .bench, #back .bench, #length .bench, #distance .bench, #torque .bench.one, #torque .bench.task, #torque .bench.shift, #slope .bench, #own .bench")) {
            const picture = bench.querySelector(":scope > svg, .stage > .plane, .stay"), where = bench.closest("section").id;
            for (const slider of bench.querySelectorAll("input[type=range], select")) {
                slider.focus({preventScroll: true}); // what can be dragged has a slider that only the keyboard finds
                slider.scrollIntoView({block: "end"});
                await new Promise(requestAnimationFrame);
                const {top, bottom} = picture.getBoundingClientRect(), input = slider.getBoundingClientRect();
                if (top < -1 || bottom > innerHeight) bad.push(where + ": the picture is at " + top + " to " + bottom + " while " + slider.name + " is moved");
                if (bottom > input.top) bad.push(where + ": the picture covers " + slider.name);
                if (bottom - top > 0.41 * innerHeight) bad.push(where + ": the picture is " + (bottom - top) + " pixels high");
            }
        }
        for (const handle of document.querySelectorAll("#back .handle"))
            if (handle.getBoundingClientRect().width < 30) bad.push("back: a handle is " + handle.getBoundingClientRect().width + " pixels wide");
        return bad; })()`);
    return bad;
}

async function keyAheadIsSaid() {
    await set("#distance [name=m]", 12);
    await set("#distance [name=n]", 8);
    const words = () => browser.evaluate(`document.querySelector("#distance .line").textContent`), before = await words();
    await set("#distance [name=n]", 16);
    if (/looks ahead/.test(before) || !/looks ahead/.test(await words())) return [before + " / " + await words()];
    await browser.look(360, 640);
    await browser.evaluate("new Promise(resolve => setTimeout(resolve, 400))");
    const cut = await browser.evaluate(`(() => { const w = document.querySelector("#distance svg .ahead.middle").getBoundingClientRect();
        return w.left < 0 || w.right > innerWidth; })()`);
    await browser.look(1280, 900);
    return cut ? ["the words are cut off at 360 pixels"] : [];
}

async function breaks() {
    const bad = [];
    await browser.evaluate(`document.getElementById("broken").scrollIntoView()`);
    await browser.until(`!document.querySelector("#broken button[type=submit]").disabled`, "the list of mistakes");
    const names = await browser.evaluate(`[...document.querySelectorAll("#broken [name=mistake]")].map(e => e.value)`);
    if (names.length < 6) bad.push("only " + names.length + " mistakes");
    for (const name of names) {
        await click(`#broken [value=${name}]`);
        if (name !== names[0] && await browser.evaluate(`document.querySelector("#broken [name=nothing]").checked`))
            bad.push(name + ": the guess at another mistake is still ticked");
        await set("#broken [name=nothing]", true);
        await click("#broken button[type=submit]");
        await browser.until(`document.querySelector("#broken .result h3")?.textContent.startsWith(${js(name + ":")})`, name);
        const text = await textOf("#broken .result"), guessed = /you guessed it/.test(text);
        const failed = await browser.evaluate(`document.querySelectorAll("#broken .result .tensor.wrong").length > 0`);
        if (guessed === failed) bad.push(`${name}: the guess was “none”, and the page says ${text.slice(0, 300)}`);
        if (!/NOTICED/.test(text)) bad.push(`${name}: no check notices it`);
        if (failed !== ["sign", "dropped"].includes(name)) bad.push(`${name}: gradients ${failed ? "fail" : "pass"}`);
    }
    return bad;
}

async function bothSignsTrain() {
    await browser.evaluate("wrongSign.STEPS = 12");
    await click("#broken button[name=both]");
    await browser.until(`/^Perplexity.*right sign \\d.*wrong sign \\d.*none \\d/.test(document.querySelector("#broken .wrong [data-show=verdict]").textContent)`, "three models");
    const samples = await browser.evaluate(`document.querySelectorAll("#broken .wrong .sample").length`);
    const curves = await browser.evaluate(`document.querySelectorAll("#broken .wrong .curves .curve").length`);
    return samples === 3 && curves === 3 ? [] : [`${samples} of 3 samples, ${curves} of 3 curves`];
}

async function withoutMotion() {
    await open(1280, { "prefers-reduced-motion": "reduce" });
    const bad = [], t = () => browser.evaluate(`document.querySelector("#clock [name=t]").valueAsNumber`);
    const running = await textOf("#first [name=play]");
    if (running !== "Start the clock") bad.push("the first clock runs");
    const before = await t();
    await click("#clock button[name=play]");
    await new Promise((resolve) => setTimeout(resolve, 600));
    if (await t() !== before + 1) bad.push(`one press moved the position from ${before} to ${await t()}`);
    await click("#layer button[name=play]");
    await click("#layer button[name=play]");
    await new Promise((resolve) => setTimeout(resolve, 600));
    const step = await browser.evaluate(`document.querySelector("#layer [name=step]").value`);
    if (step !== "2") bad.push("two presses led the layer to step " + step);
    if (await browser.evaluate("getComputedStyle(document.documentElement).scrollBehavior") !== "auto") bad.push("links scroll smoothly");
    return bad;
}

// All that a reader can come to see: folded parts are opened, questions are answered.
const openAll = `document.querySelectorAll("details").forEach(d => { d.open = true; });
    document.querySelectorAll(".ask").forEach(a => { if (a.querySelector(".answer")?.hidden) a.querySelector("[data-right]").click(); })`;

// --- one whole layer ---

// Where the last word notices that two others have changed places, for each scheme; and what is drawn on the way back.
async function orderIsNoticed() {
    const bad = [], choose = async (scheme) => {
        await click(`#layer [value="${scheme}"]`);
        return textOf("#layer [data-show=swap]");
    };
    await browser.evaluate(`document.querySelector("#layer .swap [data-right]").click()`);
    if (!await browser.evaluate(`document.querySelector("#layer [name=swapped]").checked && document.querySelector("#layer [value=none]").checked`))
        bad.push("the answer shows nothing");
    const expected = { none: /no number .* has changed\. .* (\d\.\d{6}) before the swap, \1 after/, "sinusoidal:amplitude=0.4": /“1 code”.* up to 0\.\d*[1-9]/, rope: /“2 k”.* up to 0\.\d*[1-9]/,
        alibi: /“3 distance”.* up to 0\.\d*[1-9]/, yours: /“3 distance”.* up to 0\.\d*[1-9]/, fox: /“4 content”.* up to \d\.\d*[1-9]/ };
    for (const [scheme, pattern] of Object.entries(expected)) {
        const words = await choose(scheme), framed = await browser.evaluate(`document.querySelectorAll("#layer .changed").length`);
        if (!pattern.test(words)) bad.push(scheme + ": " + words);
        if ((framed > 0) === (scheme === "none")) bad.push(`${scheme}: ${framed} numbers are framed`);
        const places = await browser.evaluate(`[...document.querySelectorAll("#layer .place")].map(p => +p.classList.contains("lit")).join("")`);
        if (places !== { none: "0000", "sinusoidal:amplitude=0.4": "1000", rope: "0100", alibi: "0010", yours: "0010", fox: "0001" }[scheme]) bad.push(`${scheme}: lit places ${places}`);
    }
    await write("bias(d) = -log(T - 10 + d)");
    if (!/so few words: the logarithm of a negative number/.test(await choose("yours"))) bad.push("a formula that does not fit: " + await textOf("#layer [data-show=swap]"));
    await write("angle(i) = 1 / (1 + i)");
    if (!/“2 k”/.test(await textOf("#layer [data-show=swap]"))) bad.push("the formula has changed, the layer has not: " + await textOf("#layer [data-show=swap]"));
    await set("#layer [name=swapped]", false);
    for (const [scheme, step, words] of [["rope", 3, /R\(tθ\)/], ["alibi", 3, /does nothing/], ["alibi", 18, /nothing turns/]]) {
        await choose(scheme);
        await set("#layer [name=step]", step);
        if (!words.test(await textOf("#layer [data-show=formula]"))) bad.push(`${scheme}, step ${step}: ` + await textOf("#layer [data-show=formula]"));
    }
    if (await browser.evaluate(`document.querySelectorAll("#layer .changed").length`)) bad.push("numbers are framed though nothing is swapped");
    return bad;
}

async function gradientComesBack() {
    const bad = [], count = (what) => browser.evaluate(`document.querySelectorAll("#layer ${what}").length`);
    for (const [step, backward, waiting] of [[0, 0, 15], [3, 0, 8], [10, 0, 0], [13, 3, 0], [20, 16, 0]]) {
        await set("#layer [name=step]", step);
        const found = [await count(".tile.backward"), await count(".tile.waiting")];
        if (found[0] !== backward || found[1] !== waiting) bad.push(`step ${step}: ${found} tiles have gradients and wait, not ${backward},${waiting}`);
    }
    await browser.evaluate(`document.querySelector("#layer .gradient [data-right]").click()`);
    if (!/^backward: q, k and v/.test(await textOf("#layer .way"))) bad.push("the answer shows " + await textOf("#layer .way"));
    const lengths = (await textOf("#layer .numbers")).replace(/−/g, "-").split("\n").map((line) => Math.hypot(...line.replace(/^.*: /, "").split(/\s+/).map(Number)));
    if (lengths.length !== 3 || !lengths.every((length) => length > 0)) bad.push("gradients of q, k and v: " + lengths);
    await browser.evaluate(`document.querySelector("#layer [data-tile=P] .ground").dispatchEvent(new MouseEvent("click", {bubbles: true}))`);
    if (await browser.evaluate(`document.querySelector("#layer [name=step]").value`) !== "14") bad.push("pressing the weights leads to step " + await textOf("#layer .way"));
    for (const width of [1280, 768, 360]) {
        await browser.look(width, 900);
        bad.push(...await browser.evaluate(`new Promise(resolve => setTimeout(resolve, 400)).then(() => { const svg = document.querySelector("#layer .diagram"), box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("text, rect, path")].filter(e => { const b = e.getBoundingClientRect(); return b.width > 0 && (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1); })
                .map(e => "at ${width} pixels, it is cut off: " + (e.textContent || e.outerHTML)); })`));
    }
    await browser.look(1280, 900);
    return bad;
}

// --- a scheme of one's own ---

const write = (text) => set("#own [name=formula]", text);

async function formulasAreRead() {
    const bad = [], error = () => textOf("#own .write .error"), marked = () => browser.evaluate(`document.querySelector("#own .under mark")?.textContent ?? ""`);
    for (const [text, sentence, mark] of [
        ["bias(d) = -a * lgo(1 + d)\na = 1", /line 1, column 16 .*there is no function 'lgo'/, "lgo"],
        ["# π\nbias(d) = 2 − d", /line 2, column 13 .*the minus of the keyboard/, "−"],
        ["bias(d) = (1 + d", /line 1, column 11 .*not closed/, "("],
        ["bias(d) =", /line 1, column 10/, " "],
        ["bias(d) = 1 / d", /^division by zero at distance 0/, ""],
        ["rope", /line 1, column 5 /, null],
    ]) {
        await write(text);
        if (!sentence.test(await error())) bad.push(`${text}: ${await error()}`);
        if (mark !== null && await marked() !== mark) bad.push(`${text}: “${await marked()}” is marked`);
        if (!await browser.evaluate(`document.getElementById("own").classList.contains("stale")`)) bad.push(text + ": the old picture is not faint");
    }
    await click("#own .race button");
    await write("bias(d) = -a * d^p\na = 1\np = 0.5 per head, > 0, < 2");
    if (await error()) bad.push(await error());
    await set("#own [name=which]", 1);
    await set("#own [name=at]", 16);
    if (!/0\.000 at distance 0, −4\.000 at 16/.test(await browser.evaluate(`document.querySelector("#own .curve-chart").getAttribute("aria-label")`))) bad.push("the curve of -sqrt(d)");
    const rows = async () => (await textOf("#own .slopes tbody")).replace(/−/g, "-").trim().split("\n").map((row) => row.split("\t"));
    const [a, p] = await rows();
    if (a[2] !== "-4.0000" || p[2] !== (-4 * Math.log(16)).toFixed(4)) bad.push("derivatives: " + a + "; " + p);
    for (const row of [a, p]) if (!(Math.abs(row[2] - row[3]) <= 2e-4)) bad.push("measured: " + row);
    await set("#own [name=pull]", -6);
    const [pulledA, pulledP] = await rows(), there = await textOf("#own label:has([name=pull]) .value");
    if (there !== "−6.000") bad.push("the curve was pulled to −6 and is at " + there);
    if (!(pulledA[1] > 1 && pulledP[1] > 0.5 && Math.abs(pulledA[1] * 16 ** pulledP[1] - 6) < 0.01)) bad.push(`pulled: a = ${pulledA[1]}, p = ${pulledP[1]}`);
    await set("#own [name=which]", 0);
    if ((await rows())[1][1] !== "0.5000") bad.push("pulling head 1 has moved head 0");
    return bad;
}

async function examplesAreChecked() {
    const bad = [];
    await browser.evaluate("own.show()");
    if (await browser.evaluate("own.form.elements.formula.value === own.form.elements.formula.defaultValue")) bad.push("the answer has erased the reader's formula");
    await browser.evaluate("own.write(own.form.elements.formula.defaultValue); own.show()");
    await browser.until(`/^−6\\.000$/.test(document.querySelector("#own label:has([name=pull]) .value").textContent)`, "the curve to be pulled", 10);
    const now = (await textOf("#own .slopes tbody")).split("\n").map((row) => row.split("\t")[1]);
    if (!(now[0] > 2.1 && now[1] - 0.5 > now[0] - 2)) bad.push("the pulled numbers are " + now);
    await browser.evaluate(`document.getElementById("own").scrollIntoView({behavior: "instant"})`);
    for (const [name, trained] of [["mexican-hat", 2], ["rope-linear", 0], ["sinusoidal", 0]]) {
        await click(`#own [data-example=${name}]`);
        const text = await browser.evaluate("own.formula.text");
        await browser.until(`own.checked === own.formula.text && !own.checking`, name + " to be checked", 120);
        const verdict = await textOf("#own [data-show=checked]"), rows = await browser.evaluate(`document.querySelectorAll("#own .slopes:not([hidden]) tbody tr").length`);
        if (!/^All \d\d gradients .* agree/.test(verdict)) bad.push(`${text}: ${verdict}`);
        if (rows !== trained) bad.push(`${text}: ${rows} trained numbers, not ${trained}`);
        bad.push(...await browser.evaluate(undescribed));
    }
    return bad;
}

async function formulasAreShared() {
    const bad = [], text = "# (shared) ’ü’\nbias(d) = -a * d\na = 0.25 per head", formula = () => browser.evaluate(`document.querySelector("#own [name=formula]").value`);
    await write(text);
    await click("#own button[name=share]");
    await browser.until(`document.querySelector("#own [data-show=shared]").textContent`, "a link");
    const link = await browser.evaluate("location.href");
    if (/[ ()'\n]/.test(link)) bad.push("the link is cut short in a letter: " + link);
    await write("bias(d) = -d");
    await browser.evaluate(`location.hash = "clock"`);
    await browser.evaluate(`location.href = ${js(link)}`);
    await browser.until(`document.querySelector("#own [name=formula]").value.includes("shared")`, "the formula of the address");
    await browser.open("about:blank", 1280, 900);
    await browser.open(link, 1280, 900);
    await browser.until(`location.protocol === "file:" && document.readyState === "complete" && document.getElementById("status")?.textContent === ""`, "the shared page");
    if (await formula() !== text) bad.push("the shared page has " + await formula());
    await browser.evaluate(`location.hash = "own=%E0%A4%A"`);
    await browser.until(`/damaged/.test(document.querySelector("#own .write .error").textContent)`, "a damaged link");
    await browser.evaluate(`location.hash = "own"`);
    return bad;
}

async function schemesRace() {
    const bad = [], error = () => textOf("#own .race .error");
    await browser.evaluate("race.STEPS = 12");
    await write("bias(d) = -d");
    await click("#own .race button");
    if (!/Guess first/.test(await error())) bad.push("without a guess: " + await error());
    await browser.evaluate(`document.querySelector("#own [value=yours]").click()`);
    await write("bias(d) =");
    await click("#own .race button");
    if (!/Correct the formula/.test(await error())) bad.push("without a formula: " + await error());
    await write("bias(d) = -a * d\na = 1 per head");
    await click("#own .race button");
    await browser.until(`/yours \\d.*rope \\d.*none \\d.*Lowest: /.test(document.querySelector("#own [data-show=verdict]").textContent)`, "three models");
    const curves = await browser.evaluate(`document.querySelectorAll("#own .track .curves .curve").length`);
    return curves === 3 ? bad : [...bad, `${curves} of 3 curves`];
}

async function main() {
    await test("the page opens", () => open(1280, { "prefers-color-scheme": "light" }));
    await test("length: the position arrives though the error is moved", positionArrives);
    await test("every control has a label", () => browser.evaluate(unlabelled));
    await test("every picture has a text", () => browser.evaluate(undescribed));
    await test("no heading skips a level", () => browser.evaluate(headings));
    await test("the picture comes first", pictureComesFirst);
    await test("guesses are answered", guessesAreAnswered);
    await test("no picture covers what stands below it", planesCoverNothing);
    await test("guesses of the later sections are answered, and recorded curves shown", recordedCurvesAreShown);
    await test("every control is reached and moved by keyboard alone", byKeyboard);
    await test("what can be dragged moves its inputs", handles);
    await test("back: a wrong sign leads the copy astray", copyGoesAstray);
    await test("back: names stand apart", namesStandApart);
    await test("back: symbols are linked with their arrows", symbolsAreLinked);
    await test("symbols of all sections are linked with their pictures", equationsAreLinked);
    await test("names of lines are linked with them", () => browser.evaluate(unlinkedNames));
    await test("words explain themselves", wordsExplainThemselves);
    await test("citations have the numbers of their references", () => browser.evaluate(miscited));
    await test("slope: a wrong sign is measured", wrongSignIsMeasured);
    await test("length: a line ends at the frame", linesEndAtTheFrame);
    await test("distance: shifts change nothing", shiftsChangeNothing);
    await test("distance: clocks are stretched as the methods say", clocksAreStretched);
    await test("distance: a key after its query is marked", keyAheadIsSaid);
    await test("torque: the frequency comes to rest", frequencyComesToRest);
    await test("train: trains seven schemes and looks inside", trains);
    await test("layer: the last word notices the order at the scheme's place", orderIsNoticed);
    await test("layer: the gradient comes back", gradientComesBack);
    await test("own: formulas are read, and pulled", formulasAreRead);
    await test("own: the gradients of the examples are checked", examplesAreChecked);
    await test("own: formulas are shared by the address", formulasAreShared);
    await test("own: a race", schemesRace);
    await test("broken: every mistake is noticed", breaks);
    await test("broken: trains with both signs, and without positions", bothSignsTrain);
    await test("all texts are in order", () => browser.evaluate(`${odd}.concat(${undescribed})`));
    for (const width of [1280, 360])
        for (const scheme of ["light", "dark"])
            await test(`nothing overflows at ${width} pixels, ${scheme}`, async () => {
                await browser.look(width, 900, { "prefers-color-scheme": scheme });
                await browser.evaluate(openAll);
                await browser.evaluate("new Promise(resolve => setTimeout(resolve, 300))");
                const light = await browser.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] > 128");
                return [...await browser.evaluate(overflowing), ...await browser.evaluate(unscrollable), ...await browser.evaluate(pale), ...(light === (scheme === "light") ? [] : ["the colours are those of the other scheme"])];
            });
    await test("colours of the system reach the pictures", systemColours);
    await test("on a phone, pictures stay above their sliders", picturesStay);
    await test("readers who want no motion get none", withoutMotion);
    await test("overflow is noticed", async () => {
        await browser.evaluate(`document.querySelector("#back p").style.width = "3000px"; document.querySelector("#back p").style.maxWidth = "none"`);
        return (await browser.evaluate(overflowing)).length ? [] : ["it is not"];
    });
    report("no error on the console", browser.errors);
    report("no request but for the page itself", browser.requests.filter((request) => request !== url));
    await browser.evaluate(`console.error("on purpose"); fetch("https://example.invalid/").catch(() => {}); 0`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    report("errors and requests are noticed", browser.errors.some((e) => /on purpose/.test(e)) &&
        browser.requests.some((r) => /example.invalid/.test(r)) ? [] : ["they are not"]);
    console.log("1.." + count);
}

main().catch((error) => console.log("Bail out! " + error.stack)).finally(() => browser.close()).then(() => process.exit(failures ? 1 : 0));
