// node browser.js REPOSITORY CHROMIUM PROFILE PAGE: prints a line "ok NAME" or "no NAME" for each check.
"use strict";
const path = require("path");
const [repository, chromium, profile, page] = process.argv.slice(2);
const { Browser } = require(path.join(repository, "tests/lesson/browser.js"));

const check = (name, good) => console.log(`${good === true ? "ok" : "no"} ${name}`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// In the page: what is seen on the first screen, and what is wrong.
const look = () => {
    const seen = (e) => { const box = e.getBoundingClientRect(); return box.width > 0 && box.top < innerHeight; };
    const svg = [...document.querySelectorAll("figure svg")].find((e) => e.getBoundingClientRect().width > 0);
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const small = [...document.querySelectorAll("svg text")].filter((e) => e.getBoundingClientRect().width > 0)
        .filter((e) => parseFloat(getComputedStyle(e).fontSize) * scale < 11.9).length;
    const luminance = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((v) => v / 255)
            .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = luminance(getComputedStyle(document.body).backgroundColor);
    const pale = [...document.querySelectorAll("svg text, p, td, summary")].filter((e) => {
        const style = getComputedStyle(e), ink = luminance(e.localName === "text" ? style.fill : style.color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05) < 4.5;
    }).length;
    return { over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        answer: seen(document.querySelector(".lead")), plot: seen(svg), settings: seen([...document.querySelectorAll("p")].find((p) => /^(What was trained|In all settings)/.test(p.textContent))),
        dots: [...svg.querySelectorAll(".dot")].every(seen), small, pale };
};

(async () => {
    const browser = new Browser(chromium, profile);
    for (const [width, height] of [[1280, 800], [360, 740]])
        for (const scheme of ["light", "dark"]) {
            const at = `at ${width}, ${scheme}:`;
            await browser.open("file://" + path.resolve(page), width, height, { "prefers-color-scheme": scheme });
            await browser.until("document.readyState === 'complete' && document.querySelector('.tools') !== null", "the script");
            await wait(200);
            const first = await browser.evaluate(`(${look})()`);
            check(`${at} the answer, the plot and the settings are on the first screen`,
                first.answer && first.plot && first.dots && first.settings);
            await browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
            const all = await browser.evaluate(`(${look})()`);
            check(`${at} nothing is wider than the screen`, all.over <= 0);
            check(`${at} all text of charts has 12 pixels`, all.small === 0);
            check(`${at} all text stands out from the ground`, all.pale === 0);
        }
    // What the tools do.
    const act = (body) => browser.evaluate(`(() => {
        const figure = [...document.querySelectorAll("figure")].find((f) => f.querySelectorAll(".tools select option").length > 2);
        const svg = figure.querySelector(".wide svg"), lines = () => svg.querySelectorAll("g.series .line").length;
        const before = window.before ??= svg.innerHTML, buttons = [...figure.querySelectorAll("button.series")];
        const select = figure.querySelector("select");
        const choose = (value) => { select.value = value; select.dispatchEvent(new Event("change")); };
        ${body}
    })()`);
    check("a series is switched off", await act("const n = lines(); buttons[0].click(); return lines() === n - 1;"));
    check("and on again, as it was", await act("buttons[0].click(); return svg.innerHTML === before;"));
    check("the difference from a series is 0 for itself", await act(`choose(buttons[0].textContent);
        const own = svg.querySelectorAll("g.series")[0].querySelector(".line").getAttribute("d");
        const heights = own.slice(1).split("L").map((p) => Number(p.split(" ")[1]));
        return Math.max(...heights) - Math.min(...heights) < 1e-6;`));
    check("values again are the drawing of the program", await act("choose(''); return svg.innerHTML === before;"));
    check("a logarithmic axis moves the points", await act(`const button = [...figure.querySelectorAll(".tools button")].find((b) => b.textContent === "log x");
        const d = () => svg.querySelector(".line").getAttribute("d"), old = d(); button.click(); const now = d(); button.click(); return old !== now;`));
    check("values are shown under the mouse", await act(`const box = svg.getBoundingClientRect();
        svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 2, clientY: box.top + 50 }));
        const tip = document.querySelector(".tip"); return !tip.hidden && buttons.every((b) => tip.textContent.includes(b.textContent));`));
    // Without the script, and printed.
    await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
    await browser.open("file://" + path.resolve(page), 1280, 800, {});
    await wait(500);
    const { data } = await browser.send("Page.printToPDF", {});
    check("it prints", data.length > 20000);
    await browser.send("Emulation.setScriptExecutionDisabled", { value: false });
    const plain = await browser.evaluate("[document.querySelectorAll('.tools').length, document.querySelectorAll('svg').length]");
    check("without a script it has its charts and no tools", plain[0] === 0 && plain[1] > 5);
    for (const error of browser.errors) console.error(error);
    check("no errors", browser.errors.length === 0);
    check("no requests", browser.requests.every((url) => url.startsWith("file:") && url.endsWith("report.html")));
    await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
