// Looking closer at the charts of a report: values under the mouse, series on and off, linear and logarithmic axes, and
// differences from one of the series. The page can be read without this.
"use strict";
(() => {
    const SVG = "http://www.w3.org/2000/svg", TICKS = { wide: 8, narrow: 6 };

    const element = (name, attributes, text) => {
        const made = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        if (text !== undefined) made.textContent = text;
        return made;
    };
    const words = (value) => {
        const size = Math.abs(value);
        if (value === 0) return "0";
        if (size >= 1e10 || size < 1e-3) return value.toExponential(2).replace(/\.?0*e\+?/, "e");
        for (const [unit, name] of [[1e9, " G"], [1e6, " M"]]) if (size >= unit) return +(value / unit).toPrecision(4) + name;
        return size >= 1e4 ? +(value / 1e3).toPrecision(4) + "k" : String(+value.toPrecision(5));
    };
    const place = (axis, value) => axis.log ? Math.log10(value) : value;
    const at = (axis, value) => {
        const low = place(axis, axis.low), share = (place(axis, value) - low) / (place(axis, axis.high) - low);
        return axis.from + Math.max(-0.05, Math.min(1.05, share)) * (axis.to - axis.from);
    };
    const round = (least) => {
        const power = 10 ** Math.floor(Math.log10(least)), times = least / power;
        return (times <= 1.0001 ? 1 : times <= 2.0001 ? 2 : times <= 5.0001 ? 5 : 10) * power;
    };
    const linearTicks = (axis, most) => {
        const between = (step) => Math.floor(axis.high / step) - Math.ceil(axis.low / step) + 1, list = [];
        let step = round((axis.high - axis.low) / most);
        while (between(step) > most) step = round(1.5 * step);
        while (between(step) < 2 && most < 5) step = round((axis.high - axis.low) / ++most);
        for (let i = Math.ceil(axis.low / step); i * step <= axis.high && list.length <= most; i++)
            list.push(+(i * step).toPrecision(12));
        return list;
    };
    const ticks = (axis, most) => {
        if (!axis.log) return linearTicks(axis, most);
        const first = Math.floor(Math.log10(axis.low)), last = Math.ceil(Math.log10(axis.high));
        const inside = (parts) => {
            const list = [], every = Math.max(1, Math.ceil((last - first) / most));
            for (let power = first; power <= last; power += every)
                for (const part of parts) list.push(part * 10 ** power);
            return list.filter((tick) => tick >= axis.low * 0.999 && tick <= axis.high * 1.001);
        };
        const dense = inside([1, 2, 5]), list = dense.length <= most ? dense : inside([1]);
        return list.length > 1 ? list : linearTicks(axis, most);
    };
    // Moves sorted places apart, as svg_spread does in the program.
    const spread = (places, gap, low, high) => {
        if (places.length === 0) return [];
        if ((places.length - 1) * gap > high - low) gap = (high - low) / (places.length - 1);
        const groups = [];
        places.forEach((y, i) => {
            groups.push([y - i * gap, 1]);
            while (groups.length > 1 && groups.at(-1)[0] < groups.at(-2)[0]) {
                const [b, m] = groups.pop(), [a, n] = groups.pop();
                groups.push([(a * n + b * m) / (n + m), n + m]);
            }
        });
        const last = high - (places.length - 1) * gap, moved = [];
        for (const [mean, count] of groups)
            for (let k = 0; k < count; k++) moved.push(Math.max(low, Math.min(last, mean)) + moved.length * gap);
        return moved;
    };

    // The y of a line of points at x, between the points where there is none; undefined outside.
    const valueAt = (points, x) => {
        for (let i = 0; i < points.length; i++) {
            if (points[i].x === x) return points[i].y;
            if (i > 0 && points[i - 1].x < x && x < points[i].x)
                return points[i - 1].y + (points[i].y - points[i - 1].y) * (x - points[i - 1].x) / (points[i].x - points[i - 1].x);
        }
    };

    // What is shown in a state: for each series its points, less those of the series to compare with.
    const shown = (chart, state) => chart.series.map((series, i) => {
        if (state.off.has(i)) return [];
        if (state.from < 0) return series.points;
        const base = chart.series[state.from].points;
        return series.points.map((p) => ({ x: p.x, y: p.y - valueAt(base, p.x) })).filter((p) => Number.isFinite(p.y));
    });

    const fit = (values, room, log) => {
        let low = Math.min(...values), high = Math.max(...values);
        if (log) [low, high] = [Math.log10(low), Math.log10(high)];
        const space = high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high)) ? room * (high - low)
            : log ? 0.3 : high === 0 ? 1 : 0.1 * Math.abs(high);
        [low, high] = [low - space, high + space];
        return log ? { low: 10 ** low, high: 10 ** high, log } : { low, high, log };
    };

    const drawAxes = (svg, x, y, most) => {
        const yaxis = svg.querySelector(".yaxis"), xaxis = svg.querySelector(".xaxis");
        yaxis.replaceChildren();
        xaxis.replaceChildren();
        for (const tick of ticks(y, most)) {
            const place = at(y, tick);
            yaxis.append(element("path", { class: tick === 0 ? "zero" : "grid", d: `M${x.from} ${place}H${x.to}` }),
                element("text", { class: "tick end", x: x.from - 6, y: place + 4.5 }, words(tick)));
        }
        for (const tick of ticks(x, Math.max(2, Math.floor((x.to - x.from) / 62)))) {
            const place = at(x, tick);
            xaxis.append(element("path", { class: "grid", d: `M${place} ${y.to}V${y.from + 4}` }),
                element("text", { class: "tick middle", x: place, y: y.from + 18 }, words(tick)));
        }
    };

    const drawSeries = (group, series, points, x, y) => {
        for (const old of [...group.children]) if (old.localName !== "title") old.remove();
        const places = points.map((p) => [at(x, p.x), at(y, p.y)]);
        if (!series.loose && places.length > 1)
            group.append(element("path", { class: "line", d: "M" + places.map((p) => p.join(" ")).join("L") }));
        points.forEach((p, i) => {
            if (p.low !== undefined) {
                const [low, high] = [p.low, p.high].map((v) => y.log && !(v > 0) ? y.from : at(y, v));
                group.append(element("path", { class: "bar", d: `M${places[i][0]} ${low}V${high}` }));
            }
            if (points.length > 24 && !series.loose) return;
            const dot = element("circle", { class: series.loose ? "seed" : "dot", cx: places[i][0], cy: places[i][1], r: 3 });
            dot.append(element("title", {}, `${series.name}, ${words(p.x)}: ${words(p.y)}`));
            group.append(dot);
        });
    };

    const drawNames = (svg, chart, lines, x, y) => {
        const names = svg.querySelector(".names"), ends = [];
        names.replaceChildren();
        lines.forEach((points, i) => {
            if (points.length && !chart.series[i].loose) ends.push([at(y, points.at(-1).y), at(x, points.at(-1).x), i]);
        });
        ends.sort((a, b) => a[0] - b[0]);
        for (const inside of [false, true]) {
            const here = ends.filter((end) => (end[1] < x.to - 48) === inside);
            const every = Math.max(1, Math.ceil(here.length / (1 + Math.floor((y.from - y.to) / 15))));
            const kept = here.filter((_, i) => i % every === 0), places = spread(kept.map((end) => end[0]), 15, y.to, y.from);
            kept.forEach(([height, from, i], k) => {
                const { name, hue } = chart.series[i], left = inside ? from + 8 : x.to + 17;
                const group = element("g", { class: hue }), room = svg.viewBox.baseVal.width - left;
                const text = element("text", { class: "name", x: left, y: places[k] + 4.5 }, name);
                group.append(element("path", { class: "leader", d: `M${from + 4} ${height}L${left - 3} ${places[k]}` }), text);
                names.append(group);
                for (let size = name.length - 1; size > 2 && text.getComputedTextLength() > room; size--)
                    text.textContent = name.slice(0, size) + "\u2026";
            });
        }
    };

    const draw = (chart, state) => {
        const plain = state.off.size === 0 && state.from < 0 && state.x === chart.x && state.y === chart.y;
        const lines = shown(chart, state);
        // Points that a logarithmic axis cannot show are left out.
        const kept = lines.map((points) => points.filter((p) => (!state.x || p.x > 0) && (!state.y || p.y > 0)));
        const all = kept.flat();
        chart.svgs.forEach((svg, i) => {
            if (plain || all.length === 0) {
                svg.innerHTML = chart.before[i];
                return;
            }
            const [left, right, top, bottom] = svg.dataset.frame.split(" ").map(Number);
            const spans = all.flatMap((p) => p.low === undefined || (state.y && !(p.low > 0)) ? [p.y] : [p.low, p.y, p.high]);
            const x = { ...fit(all.map((p) => p.x), 0.02, state.x), from: left, to: right };
            const y = { ...fit(spans, 0.05, state.y), from: bottom, to: top };
            const mark = svg.querySelector(".mark");
            if (mark) mark.remove();
            drawAxes(svg, x, y, i === 0 ? TICKS.wide : TICKS.narrow);
            svg.querySelectorAll("g.series").forEach((group, k) => drawSeries(group, chart.series[k], kept[k], x, y));
            drawNames(svg, chart, kept, x, y);
        });
        chart.lines = lines;
        chart.logX = state.x;
    };

    const button = (label, pressed, act) => {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = label;
        made.setAttribute("aria-pressed", pressed);
        made.addEventListener("click", () => act(made));
        return made;
    };
    const toggle = (made) => {
        const on = made.getAttribute("aria-pressed") !== "true";
        made.setAttribute("aria-pressed", on);
        return on;
    };

    const addTools = (chart, state) => {
        const tools = document.createElement("div");
        tools.className = "tools";
        chart.series.forEach((series, i) => {
            if (chart.series.length < 2 || chart.series.length > 24) return;
            const made = button(series.name, true, (b) => {
                if (toggle(b)) state.off.delete(i); else state.off.add(i);
                draw(chart, state);
            });
            made.className = "series " + series.hue;
            tools.append(made);
        });
        for (const axis of ["x", "y"]) {
            const values = chart.series.flatMap((series) => series.points.map((p) => p[axis]));
            if (!values.every((value) => value > 0) || Math.max(...values) < 1.5 * Math.min(...values)) continue;
            tools.append(button("log " + axis, state[axis], (b) => { state[axis] = toggle(b); draw(chart, state); }));
        }
        const comparable = chart.series.filter((series) => !series.loose && series.points.length > 1);
        if (comparable.length > 1 && chart.series.length <= 24) {
            const select = document.createElement("select");
            select.setAttribute("aria-label", "difference from");
            select.append(new Option("values", -1));
            chart.series.forEach((series, i) => { if (comparable.includes(series)) select.append(new Option("minus " + series.name, i)); });
            select.addEventListener("change", () => {
                state.from = Number(select.value);
                const log = [...tools.querySelectorAll("button")].find((b) => b.textContent === "log y");
                if (log) log.disabled = state.from >= 0;
                draw(chart, { ...state, y: state.from < 0 && state.y });
            });
            tools.append(select);
        }
        if (tools.children.length === 0) return;
        const closer = document.createElement("details"), summary = document.createElement("summary");
        closer.className = "closer";
        summary.textContent = "Look closer";
        closer.append(summary, tools);
        chart.figure.append(closer);
    };

    const addHover = (chart, svg, tip) => {
        const hide = () => { tip.hidden = true; };
        svg.addEventListener("pointerleave", hide);
        svg.addEventListener("pointermove", (event) => {
            const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
            const here = (event.clientX - box.left) * scale, names = [];
            const path = [...svg.querySelectorAll("g.series .dot, g.series .line")];
            if (path.length === 0) return hide();
            const xs = [...new Set(chart.lines.flat().map((p) => p.x))];
            const axis = chart.axis(svg);
            const x = xs.reduce((best, value) => Math.abs(at(axis, value) - here) < Math.abs(at(axis, best) - here) ? value : best, xs[0]);
            chart.lines.forEach((points, i) => {
                const point = points.find((p) => p.x === x);
                if (point && !chart.series[i].loose) names.push([point.y, chart.series[i].name]);
            });
            names.sort((a, b) => b[0] - a[0]);
            if (names.length === 0) return hide();
            tip.textContent = [words(x), ...names.slice(0, 16).map(([y, name]) => `${words(y)}  ${name}`)].join("\n");
            tip.hidden = false;
            const width = tip.offsetWidth, left = event.pageX + 14 + width > document.documentElement.clientWidth
                ? Math.max(4, event.pageX - 14 - width) : event.pageX + 14;
            tip.style.left = left + "px";
            tip.style.top = event.pageY + 12 + "px";
        });
    };

    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    document.body.append(tip);
    for (const figure of document.querySelectorAll("figure")) {
        const svgs = [...figure.querySelectorAll("svg[data-frame]")];
        if (svgs.length === 0) continue;
        const series = [...svgs[0].querySelectorAll("g.series")].map((group) => ({
            name: group.dataset.name,
            hue: [...group.classList].filter((name) => /^[hd]\d/.test(name)).join(" "),
            loose: group.classList.contains("loose"),
            points: group.dataset.points.split(";").filter(Boolean).map((text) => {
                const [x, y, low, high] = text.split(",").map(Number);
                return { x, y, low, high };
            }),
        }));
        const [x, y] = [svgs[0].dataset.x, svgs[0].dataset.y].map((text) => text.endsWith(" 1"));
        const chart = { figure, svgs, series, x, y, before: svgs.map((svg) => svg.innerHTML), lines: series.map((s) => s.points), logX: x };
        // The axis that is drawn now: after a change, the places of the points tell it.
        chart.axis = (svg) => {
            const [left, right] = svg.dataset.frame.split(" ").map(Number), all = chart.lines.flat().map((p) => p.x);
            const [low, high, log] = svg.dataset.x.split(" ").map(Number), changed = chart.lines.some((l, i) => l !== series[i].points);
            return changed || Boolean(log) !== chart.logX ? { ...fit(all, 0.02, chart.logX), from: left, to: right }
                : { low, high, log: Boolean(log), from: left, to: right };
        };
        addTools(chart, { off: new Set(), from: -1, x, y });
        for (const svg of svgs) addHover(chart, svg, tip);
    }
    addEventListener("beforeprint", () => document.querySelectorAll("details.fold").forEach((fold) => { fold.open = true; }));
})();
