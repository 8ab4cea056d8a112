// Looking closer at the charts of a report: values under the mouse, series on and off, logarithmic axes, and
// differences from one of the series. The points are those of the table below a chart. The page can be read without it.
"use strict";
(() => {
    const SERIES_MOST = 24, NAME_HEIGHT = 15;

    const words = (value) =>
        value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 4 }).replace("K", "k");

    const add = (parent, name, attributes, text = "") => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.textContent = text;
        parent.append(made);
        return made;
    };

    // The axis that shows low to high between two places of the drawing.
    const axis = (low, high, log, from, to) => {
        const scale = log ? Math.log10 : (value) => value, start = scale(low), length = scale(high) - start;
        return { low, high, log, from, to, at: (value) => from + (scale(value) - start) / length * (to - from) };
    };

    // The axis that shows all of these values.
    const fit = (values, log, from, to) => {
        const ends = [Math.min(...values), Math.max(...values)].map((value) => log ? Math.log10(value) : value);
        const room = 0.04 * (ends[1] - ends[0]) || 0.5;
        return axis(...[ends[0] - room, ends[1] + room].map((end) => log ? 10 ** end : end), log, from, to);
    };

    // The numbers 1, 2 or 5 times a power of ten from `least` to `most`.
    const roundNumbers = (least, most) => {
        const found = [];
        for (let power = Math.floor(Math.log10(least)); 10 ** power <= most; power++)
            found.push(10 ** power, 2 * 10 ** power, 5 * 10 ** power);
        return found.filter((value) => value >= least && value <= most);
    };

    const ticks = ({ low, high, log }, most) => {
        let all = roundNumbers(low, high), step = log ? 0 : roundNumbers((high - low) / most, high - low)[0];
        if (step > 0) all = Array.from({ length: most + 1 }, (_, n) => (Math.ceil(low / step) + n) * step);
        return all.filter((tick, i) => tick <= high && (step > 0 || i % Math.ceil(all.length / most) === 0));
    };

    const drawAxes = (svg, x, y) => {
        const xaxis = svg.querySelector(".xaxis"), yaxis = svg.querySelector(".yaxis");
        xaxis.replaceChildren();
        yaxis.replaceChildren();
        for (const tick of ticks(x, Math.max(2, Math.floor((x.to - x.from) / 62)))) {
            add(xaxis, "path", { class: "grid", d: `M${x.at(tick)} ${y.to}V${y.from + 4}` });
            add(xaxis, "text", { class: "tick middle", x: x.at(tick), y: y.from + 18 }, words(tick));
        }
        for (const tick of ticks(y, 7)) {
            add(yaxis, "path", { class: tick === 0 ? "zero" : "grid", d: `M${x.from} ${y.at(tick)}H${x.to}` });
            add(yaxis, "text", { class: "tick end", x: x.from - 6, y: y.at(tick) + 4.5 }, words(tick));
        }
    };

    const drawSeries = (group, { loose, points }, x, y) => {
        group.replaceChildren();
        if (!loose && points.length > 1)
            add(group, "path", { class: "line", d: "M" + points.map((p) => `${x.at(p.x)} ${y.at(p.y)}`).join("L") });
        for (const p of points) {
            const low = y.log && !(p.low > 0) ? y.from : y.at(p.low);
            if (p.high !== p.low) add(group, "path", { class: "bar", d: `M${x.at(p.x)} ${low}V${y.at(p.high)}` });
            const [style, r] = loose ? ["seed", 2.5] : ["dot", points.length <= 24 ? 3 : 0];
            add(group, "circle", { class: style, cx: x.at(p.x), cy: y.at(p.y), r });
        }
    };

    // Names in a column on the right, in the order of the lines' ends and so far apart that they can be read.
    const drawNames = (svg, series, x, y) => {
        const names = svg.querySelector(".names"), left = x.to + 17, room = svg.viewBox.baseVal.width - left;
        const ends = series.filter((one) => !one.loose && one.points.length > 0)
            .map((one) => ({ one, end: one.points.at(-1) })).sort((a, b) => y.at(a.end.y) - y.at(b.end.y));
        const places = ends.map(({ end }) => y.at(end.y));
        for (let i = 1; i < places.length; i++) places[i] = Math.max(places[i], places[i - 1] + NAME_HEIGHT);
        names.replaceChildren();
        ends.forEach(({ one, end }, i) => {
            const place = Math.min(places[i], y.from - NAME_HEIGHT * (places.length - 1 - i));
            const group = add(names, "g", { class: one.style });
            add(group, "path", { class: "leader", d: `M${x.at(end.x) + 4} ${y.at(end.y)}L${left - 3} ${place}` });
            const text = add(group, "text", { class: "name", x: left, y: place + 4.5 }, one.name);
            for (let size = one.name.length; size > 2 && text.getComputedTextLength() > room;)
                text.textContent = one.name.slice(0, --size) + "\u2026";
        });
    };

    const known = (value, instead) => Number.isFinite(value) ? value : instead;

    // The y of a line at x, between its points where it has none there; undefined outside.
    const valueAt = (points, x) => {
        const i = points.findIndex((p) => p.x >= x), [a, b] = [points[i - 1], points[i]];
        return b && (b.x === x ? b.y : a && a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x));
    };

    // The series as they are shown: without those that are off, less the one to compare with, and on logarithmic axes
    // without what these cannot show.
    const shown = ({ series, off, base, logX, logY }) => series.map((one) => {
        const less = (p) => { const y = p.y - valueAt(base.points, p.x); return { x: p.x, y, low: y, high: y }; };
        const points = off.has(one) ? [] : base ? one.points.map(less) : one.points;
        const drawable = (p) => Number.isFinite(p.y) && (!logX || p.x > 0) && (!logY || p.y > 0);
        return { ...one, points: points.filter(drawable) };
    });

    const draw = (chart) => {
        const series = shown(chart), points = series.flatMap((one) => one.points);
        if (points.length === 0) return;
        const heights = points.flatMap((p) => [p.low, p.y, p.high]).filter((value) => !chart.logY || value > 0);
        chart.shown = series;
        chart.svgs.forEach((svg, i) => {
            svg.innerHTML = chart.before[i]; // with what no redrawing keeps, if nothing else is asked for
            chart.x[i] = chart.axes[i];
            if (chart.off.size === 0 && !chart.base && chart.start === `${chart.logX} ${chart.logY}`) return;
            const [left, right, top, bottom] = svg.dataset.axes.split(" ").map(Number);
            const room = Math.max(left, 50); // for ticks such as "-0.015"
            const x = chart.x[i] = fit(points.map((p) => p.x), chart.logX, room, right);
            const y = fit(heights, chart.logY, bottom, top);
            svg.querySelector(".mark")?.remove();
            drawAxes(svg, x, y);
            svg.querySelectorAll(".series").forEach((group, k) => drawSeries(group, series[k], x, y));
            drawNames(svg, series, x, y);
        });
    };

    const addButton = (tools, label, pressed, act) => {
        const made = document.createElement("button");
        made.textContent = label;
        made.ariaPressed = pressed;
        made.addEventListener("click", () => {
            made.ariaPressed = made.ariaPressed !== "true";
            act(made.ariaPressed === "true");
        });
        tools.append(made);
        return made;
    };

    const addTools = (chart, figure) => {
        const closer = document.createElement("details"), tools = document.createElement("div"), { series } = chart;
        closer.className = "closer";
        closer.innerHTML = "<summary>Look closer</summary>";
        tools.className = "tools";
        for (const one of series)
            addButton(tools, one.name, true, (on) => { chart.off[on ? "delete" : "add"](one); draw(chart); })
                .className = "series " + one.style;
        for (const [label, log, key] of [["log x", "logX", "x"], ["log y", "logY", "y"]]) {
            const values = series.flatMap((one) => one.points.map((p) => p[key]));
            if (Math.min(...values) > 0 && Math.max(...values) >= 2 * Math.min(...values))
                addButton(tools, label, chart[log], (on) => { chart[log] = on; draw(chart); });
        }
        const lines = series.filter((one) => !one.loose && one.points.length > 1);
        if (lines.length > 1) {
            const select = document.createElement("select");
            const logY = [...tools.children].find((button) => button.textContent === "log y");
            select.ariaLabel = "difference from";
            select.append(new Option("values", ""), ...lines.map((one) => new Option("minus " + one.name, one.name)));
            select.addEventListener("change", () => {
                chart.base = lines.find((one) => one.name === select.value);
                // Differences may be below 0.
                chart.logY = !chart.base && logY?.ariaPressed === "true";
                if (logY) logY.disabled = Boolean(chart.base);
                draw(chart);
            });
            tools.append(select);
        }
        closer.append(tools);
        figure.append(closer);
    };

    const addTip = (chart, svg, i, tip) => {
        svg.addEventListener("pointerleave", () => { tip.hidden = true; });
        svg.addEventListener("pointermove", (event) => {
            const box = svg.getBoundingClientRect(), lines = chart.shown.filter((one) => !one.loose);
            const here = (event.clientX - box.left) * svg.viewBox.baseVal.width / box.width;
            const far = (p) => Math.abs(chart.x[i].at(p.x) - here);
            const [nearest] = lines.flatMap((one) => one.points).sort((a, b) => far(a) - far(b));
            tip.hidden = !nearest;
            if (!nearest) return;
            const found = lines.map((one) => ({ name: one.name, y: one.points.find((p) => p.x === nearest.x)?.y }));
            const rows = found.filter((one) => one.y !== undefined).sort((a, b) => b.y - a.y).slice(0, 16);
            tip.textContent = [words(nearest.x), ...rows.map((row) => `${words(row.y)}  ${row.name}`)].join("\n");
            const left = event.pageX + 14, most = document.documentElement.clientWidth - tip.offsetWidth;
            tip.style.left = Math.max(4, Math.min(left, most)) + "px";
            tip.style.top = event.pageY + 12 + "px";
        });
    };

    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    document.body.append(tip);
    for (const figure of document.querySelectorAll("figure:has(svg[data-axes])")) {
        const svgs = [...figure.querySelectorAll("svg")], rows = [...figure.nextElementSibling.querySelectorAll("tr")];
        const series = [...svgs[0].querySelectorAll(".series")].map(({ dataset: { name }, classList }) => ({
            name,
            style: [...classList].filter((style) => /^[hd]\d/.test(style)).join(" "),
            loose: classList.contains("loose"),
            points: rows.map((row) => [...row.cells].map((cell) => cell.textContent)).filter((row) => row[0] === name)
                .map((row) => row.slice(1).map(Number))
                .map(([x, y, low, high]) => ({ x, y, low: known(low, y), high: known(high, y) })),
        }));
        const [logX, logY] = svgs[0].dataset.axes.split(" ").slice(6).map((flag) => flag === "1");
        const axes = svgs.map((svg) => {
            const [left, right, , , low, high] = svg.dataset.axes.split(" ").map(Number);
            return axis(low, high, logX, left, right);
        });
        const chart = { svgs, series, axes, logX, logY, shown: series, x: [...axes], off: new Set(),
            start: `${logX} ${logY}`, before: svgs.map((svg) => svg.innerHTML) };
        if (series.length > 1 && series.length <= SERIES_MOST) addTools(chart, figure);
        svgs.forEach((svg, i) => addTip(chart, svg, i, tip));
    }
    addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll(".fold")) fold.open = true; });
})();
