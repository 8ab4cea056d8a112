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
        answer: seen(document.querySelector(".lead")), plot: seen(svg), table: seen([...document.querySelectorAll("table tr")][4]),
        dots: [...svg.querySelectorAll(".dot")].every(seen), small, pale };
};

(async () => {
    const browser = new Browser(chromium, profile);
    for (const [width, height] of [[1280, 800], [360, 740]])
        for (const scheme of ["light", "dark"]) {
            const at = `at ${width}, ${scheme}:`;
            await browser.open("file://" + path.resolve(page), width, height, { "prefers-color-scheme": scheme });
            await browser.until("document.readyState === 'complete' && document.querySelector('.key[role]') !== null", "the script");
            await wait(200);
            const first = await browser.evaluate(`(${look})()`);
            check(`${at} the answer and all schemes, and on a wide screen the plot, are on the first screen`,
                first.answer && first.table && (width < 1000 || (first.plot && first.dots)));
            await browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
            const all = await browser.evaluate(`(${look})()`);
            check(`${at} nothing is wider than the screen`, all.over <= 0);
            check(`${at} all text of charts has 12 pixels`, all.small === 0);
            check(`${at} all text stands out from the ground`, all.pale === 0);
        }
    // A click on the name of a line.
    const act = (body) => browser.evaluate(`(() => {
        const figure = [...document.querySelectorAll("figure")].find((f) => f.querySelectorAll(".key").length > 2);
        const lines = () => [...figure.querySelectorAll("g.series")].filter((e) => getComputedStyle(e).display !== "none").length;
        const key = figure.querySelector(".key"), n = lines(), click = () => key.dispatchEvent(new Event("click"));
        ${body}
    })()`);
    check("a line is hidden", await act("click(); return lines() === n - 1;"));
    check("and shown again", await act("click(); return lines() === n + 1;"));
    // Without the script, and printed.
    await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
    await browser.open("file://" + path.resolve(page), 1280, 800, {});
    let data = "";
    for (let i = 0; i < 40 && !data; i++) { // as long as it loads, printing fails
        await wait(500);
        data = (await browser.send("Page.printToPDF", {}).catch(() => ({ data: "" }))).data;
    }
    check("it prints", data.length > 20000);
    await browser.send("Emulation.setScriptExecutionDisabled", { value: false });
    const plain = await browser.evaluate("document.querySelectorAll('svg').length");
    check("without a script it has its charts", plain > 5);
    for (const error of browser.errors) console.error(error);
    check("no errors", browser.errors.length === 0);
    check("no requests", browser.requests.every((url) => url.startsWith("file:") && url.endsWith("report.html")));
    await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
