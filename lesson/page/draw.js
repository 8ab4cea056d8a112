// Drawing and controls, for all sections. JavaScript only places pixels here: the numbers come from the C code.

// The named inputs of a form. `draw` is called with their values whenever one of them moves.
class Controls {
    constructor(form, draw) {
        this.form = form;
        this.draw = draw;
        form.addEventListener('submit', event => event.preventDefault());
        form.addEventListener('input', () => this.update());
    }

    get values() {
        const values = {};
        for (const input of this.form.elements) {
            if (!input.name || (input.type === 'radio' && !input.checked)) continue;
            values[input.name] = input.type === 'checkbox' ? input.checked
                : input.type === 'range' || input.type === 'number' ? input.valueAsNumber : input.value;
        }
        return values;
    }

    // Moves inputs, as the reader would; the browser keeps them within their ranges.
    set(changes) {
        for (const [name, value] of Object.entries(changes)) this.form.elements[name].value = value;
        this.update();
    }

    update() {
        const values = this.values;
        for (const shown of this.form.querySelectorAll('.value[data-of]'))
            shown.textContent = digits(values[shown.dataset.of], +shown.dataset.digits || 0) + (shown.dataset.unit || '');
        this.draw(values);
        // What is shown beside a slider is also what a screen reader says.
        for (const input of this.form.querySelectorAll('input[type=range]'))
            input.setAttribute('aria-valuetext', input.labels[0].querySelector('.value').textContent);
    }
}

function digits(number, count) {
    return number.toFixed(count).replace(/^-(?=[0.]*$)/, '').replace('-', '−');
}

// Small or large numbers as 1.2·10⁻⁷, for text.
function scientific(number) {
    if (number === 0 || (Math.abs(number) >= 0.1 && Math.abs(number) < 100)) return digits(number, 1);
    const [mantissa, exponent] = number.toExponential(1).split('e');
    return `${mantissa.replace('-', '−')}·10${exponent.replace('+', '').replace(/./g, c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)])}`;
}

// Writes texts into the elements of `root` that have these data-show names.
function show(root, texts) {
    for (const [name, text] of Object.entries(texts))
        for (const element of root.querySelectorAll(`[data-show="${name}"]`)) element.textContent = text;
}

function element(name, attributes = {}, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

// An <svg> that is drawn anew at each change; handles stay, so that they can be dragged meanwhile.
class Picture {
    // Pixels of the view, which is `width` x `height`.
    constructor(svg, width, height) {
        this.svg = svg;
        svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
        svg.setAttribute('role', 'img');
        Object.assign(this, {width, height, parts: element('g'), handles: element('g'), kept: {}, grip: 14});
        this.target = this.parts;
        svg.replaceChildren(this.parts, this.handles);
    }

    // Starts the drawing; `words` say what it shows to those who do not see it.
    clear(words) {
        this.svg.setAttribute('aria-label', words);
        this.parts.replaceChildren();
    }

    add(name, attributes, ...children) {
        const made = element(name, attributes, ...children);
        this.target.append(made);
        return made;
    }

    // What `draw` adds belongs to the symbol `name` of the text beside the picture: pointing at one lights the other.
    symbol(name, draw) {
        const group = this.add('g', {'data-sym': name, class: symbols.lit(this.svg) === name ? 'lit' : ''}), outer = this.target;
        this.target = group;
        draw();
        this.target = outer;
    }

    line(a, b, look) {
        return this.add('line', {x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: look});
    }

    path(points, look) {
        return this.add('path', {d: points.map((p, i) => `${i ? 'L' : 'M'}${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join(''), class: look});
    }

    dots(points, look) {
        return this.add('path', {d: points.map(p => `M${p[0].toFixed(1)} ${p[1].toFixed(1)}h0`).join(''), class: `dots ${look}`});
    }

    text(at, words, look = '') {
        return this.add('text', {x: at[0], y: at[1], class: look}, words);
    }

    arrow(a, b, look) {
        const angle = Math.atan2(b[1] - a[1], b[0] - a[0]), length = Math.hypot(b[0] - a[0], b[1] - a[1]);
        const head = Math.min(11, length * 0.6);
        const corner = side => [b[0] - head * Math.cos(angle + side), b[1] - head * Math.sin(angle + side)];
        this.line(a, [b[0] - head * 0.7 * Math.cos(angle), b[1] - head * 0.7 * Math.sin(angle)], `arrow ${look}`);
        this.path([b, corner(0.42), corner(-0.42), b], `head ${look}`);
    }

    // A place to take hold of. `moved` gets the pixel to which it is dragged. The inputs beside the picture do the same.
    handle(name, at, moved) {
        const circle = this.kept[name] ??= this.makeHandle();
        circle.dataset.sym = name;
        circle.moved = moved;
        circle.setAttribute('cx', at[0]);
        circle.setAttribute('cy', at[1]);
    }

    makeHandle() {
        const circle = element('circle', {r: this.grip, class: 'handle'});
        const move = event => {
            const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
            circle.moved([p.x, p.y]);
        };
        circle.addEventListener('pointerdown', event => {
            circle.setPointerCapture(event.pointerId);
            circle.onpointermove = move;
            event.preventDefault();
        });
        circle.addEventListener('lostpointercapture', () => { circle.onpointermove = null; });
        this.handles.append(circle);
        return circle;
    }
}

// A picture as wide as the page allows, so that its letters are as large as those of the text. `resized` is called when
// that width has changed. On a phone it is `low` pixels high, so that it can stay in view above its sliders.
class WidePicture extends Picture {
    constructor(svg, height, resized, low = height) {
        const phone = matchMedia('(max-width: 46rem)'); // as in style.css
        super(svg, Math.round(svg.parentElement.clientWidth) || 640, phone.matches ? low : height);
        new ResizeObserver(([{contentRect}]) => {
            if (Math.abs(contentRect.width - this.width) < 2 || contentRect.width === 0) return;
            this.width = Math.round(contentRect.width);
            this.setHeight(low === height ? this.height : phone.matches ? low : height);
            resized();
        }).observe(svg);
    }

    setHeight(height) {
        this.height = height;
        this.svg.setAttribute('viewBox', `0 0 ${this.width} ${height}`);
    }
}

// A picture of the plane in which a pair of channels is a point; `reach` is how far it goes from the middle. Letters keep
// their size however large the picture is; `resized` is called when that changes.
class Plane extends Picture {
    constructor(svg, reach, resized) {
        super(svg, 320, 320);
        Object.assign(this, {reach, middle: 160, unit: 160 / reach});
        new ResizeObserver(([{contentRect: {width}}]) => {
            if (width > 0 && Math.abs(width - 2 * this.middle) >= 2) this.grow(width, resized);
        }).observe(svg);
    }

    grow(width, resized) {
        Object.assign(this, {width, height: width, middle: width / 2, unit: width / 2 / this.reach});
        this.svg.setAttribute('viewBox', `0 0 ${width} ${width}`);
        this.grip = width < 300 ? 24 : 14; // in a small picture, handles are large enough for a finger
        for (const circle of Object.values(this.kept)) circle.setAttribute('r', this.grip);
        resized();
    }

    at(p) {
        return [this.middle + p[0] * this.unit, this.middle - p[1] * this.unit];
    }

    // The point of the plane at a pixel.
    point(pixel) {
        return [(pixel[0] - this.middle) / this.unit, (this.middle - pixel[1]) / this.unit];
    }

    clear(words) {
        super.clear(words);
        const {middle, unit} = this, end = 2 * middle;
        this.names = [];
        this.line([0, middle], [end, middle], 'axis');
        this.line([middle, 0], [middle, end], 'axis');
        this.add('circle', {cx: middle, cy: middle, r: unit, class: 'unit'});
        this.text([end - 4, middle - 6], '0°', 'tick end');
        this.text([middle + unit + 4, middle + 15], '1', 'tick');
        this.names.push([end - 12, middle - 6, '0'], [middle + unit + 8, middle + 15, '']);
    }

    // Whether a name there stands clear of the others; a letter is some 10 pixels wide.
    isFree(place, name) {
        return this.names.every(([x, y, other]) => Math.abs(place[0] - x) > 5 * (name.length + other.length) + 8 || Math.abs(place[1] - y) > 22);
    }

    // An arrow from `from` to from + v, with its name at the tip, beside the names that are there already.
    vector(v, name, look, from = [0, 0]) {
        const tip = [from[0] + v[0], from[1] + v[1]], [x, y] = this.at(tip), end = 2 * this.middle, half = Math.max(14, 5 * name.length);
        const places = [0, 1.2, -1.2, 2.2, -2.2].map(aside => {
            const angle = Math.atan2(v[1], v[0]) + aside;
            return [Math.max(half, Math.min(end - half, x + 24 * Math.cos(angle))), Math.max(16, Math.min(end - 8, y - 24 * Math.sin(angle) + 5))];
        });
        const free = places.find(place => this.isFree(place, name)) ?? places[0];
        this.names.push([...free, name]);
        this.symbol(name, () => {
            this.line(this.at(from), [x, y], 'hit');
            this.arrow(this.at(from), [x, y], look);
            this.text(free, name, `name ${look}`);
        });
    }

    // The arc from the direction of angle `a` on by `turn` radians, with a head at its end and its name in its middle. Whole
    // turns are rings inside it, five at most.
    arc(a, turn, radius, look, name = '') {
        const whole = Math.floor(Math.abs(turn) / (2 * Math.PI)), rest = turn - Math.sign(turn) * whole * 2 * Math.PI;
        const on = (phi, r) => this.at([r * Math.cos(phi), r * Math.sin(phi)]);
        const count = Math.max(2, Math.ceil(Math.abs(rest) * 12)), back = Math.min(10 / (radius * this.unit), Math.abs(rest)) * Math.sign(rest);
        const draw = () => {
            for (let i = 1; i <= Math.min(5, whole); i++)
                this.add('circle', {cx: this.middle, cy: this.middle, r: Math.max(2, radius * this.unit - 5 * i), class: `arc ${look}`});
            this.path(Array.from({length: count + 1}, (_, i) => on(a + (rest - back * 0.7) * i / count, radius)), `arc ${look}`);
            const wide = 5 / this.unit;
            this.path([on(a + rest, radius), on(a + rest - back, radius + wide), on(a + rest - back, radius - wide), on(a + rest, radius)], `head ${look}`);
            if (!name) return;
            const [x, y] = on(a + rest / 2, radius + 15 / this.unit);
            this.names.push([x, y + 5, name]);
            this.text([x, y + 5], name, `name ${look}`);
        };
        if (name) this.symbol(name, draw);
        else draw();
    }

    // A handle at p + from that sets two inputs: the direction in degrees and the length of p.
    polarHandle(name, p, controls, angle, length, from = [0, 0]) {
        this.handle(name, this.at([p[0] + from[0], p[1] + from[1]]), pixel => {
            const [x, y] = this.point(pixel), v = [x - from[0], y - from[1]];
            controls.set({[angle]: Math.round(inDegrees(Math.atan2(v[1], v[0]))), [length]: Math.hypot(v[0], v[1])});
        });
    }
}

// The arrow that two inputs describe: a direction in degrees, a length.
function polar(degrees, length) {
    return [length * Math.cos(degrees * Math.PI / 180), length * Math.sin(degrees * Math.PI / 180)];
}

function inDegrees(radians) {
    return radians * 180 / Math.PI;
}

// Rows of clocks.
class Clocks extends WidePicture {
    // clocks: {hands: [{angle, look}], seen, name, note, look}, where the face is shaded up to the angle `seen`, and the
    // note stands below the name.
    draw(clocks, words) {
        const across = Math.min(clocks.length, this.width < 560 ? 4 : 8), cell = this.width / across;
        const radius = Math.min(36, cell / 2 - 6), row = 2 * radius + (clocks[0].note ? 44 : 32);
        this.setHeight(Math.ceil(clocks.length / across) * row);
        this.clear(words);
        this.places = [];
        clocks.forEach((clock, i) => {
            const middle = this.places[i] = [(i % across + 0.5) * cell, Math.floor(i / across) * row + radius + 4];
            this.face(middle, radius, clock);
            this.text([middle[0], middle[1] + radius + 18], clock.name, `tick middle ${clock.look ?? ''}`);
            if (clock.note) this.text([middle[0], middle[1] + radius + 33], clock.note, 'tick middle');
        });
    }

    // `chosen` is called with the number of the clock that is pressed.
    pressed(chosen) {
        this.svg.classList.add('choose');
        this.svg.addEventListener('click', event => {
            const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
            const far = this.places.map(([x, y]) => Math.hypot(p.x - x, p.y - y));
            chosen(far.indexOf(Math.min(...far)));
        });
    }

    face(middle, radius, {hands, seen = 0}) {
        const tip = (angle, r) => [middle[0] + r * Math.cos(angle), middle[1] - r * Math.sin(angle)];
        this.add('circle', {cx: middle[0], cy: middle[1], r: radius, class: seen >= 2 * Math.PI ? 'face seen' : 'face'});
        if (seen > 0 && seen < 2 * Math.PI) {
            const count = Math.ceil(seen * 8), arc = Array.from({length: count + 1}, (_, i) => tip(seen * i / count, radius));
            this.path([middle, ...arc, middle], 'seen');
        }
        this.line(tip(0, radius * 0.84), tip(0, radius), 'axis'); // 0 degrees
        for (const hand of hands) this.line(middle, tip(hand.angle, radius * 0.88), `hand ${hand.look}`);
    }
}

// A line chart. x, y: {from, to, name, log}; lines: {points: [[x, y] ...], look, sym}, where sym is the symbol that lights
// the line, if one does.
class Chart extends WidePicture {
    get frame() {
        return {left: 66, right: this.width - 14, top: 12, bottom: this.height - 40};
    }

    scale(axis, value) {
        const position = axis.log ? Math.log(value / axis.from) / Math.log(axis.to / axis.from)
            : (value - axis.from) / (axis.to - axis.from);
        return Math.max(-9, Math.min(10, position));
    }

    at(p) {
        const {left, right, top, bottom} = this.frame;
        return [left + (right - left) * this.scale(this.x, p[0]), bottom - (bottom - top) * this.scale(this.y, p[1])];
    }

    axes(x, y) {
        Object.assign(this, {x, y});
        const {left, right, top, bottom} = this.frame, id = this.clip ??= `frame-${Chart.count = (Chart.count ?? 0) + 1}`;
        this.add('clipPath', {id}, element('rect', {x: left - 3, y: top - 3, width: right - left + 6, height: bottom - top + 6}));
        for (const value of ticks(x)) {
            const [px] = this.at([value, y.from]);
            this.line([px, top], [px, bottom], 'grid');
            this.text([px, bottom + 16], tickName(value), 'tick middle');
        }
        for (const value of ticks(y)) {
            const [, py] = this.at([x.from, value]);
            this.line([left, py], [right, py], 'grid');
            this.text([left - 6, py + 4], tickName(value), 'tick end');
        }
        this.line([left, top], [left, bottom], 'axis');
        this.line([left, bottom], [right, bottom], 'axis');
        this.text([(left + right) / 2, this.height - 6], x.name, 'tick middle');
        this.add('text', {transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)`, class: 'tick middle'}, y.name);
    }

    // Lines end at the frame.
    draw(lines) {
        for (const line of lines) {
            const points = line.points.filter(p => Number.isFinite(p[1]));
            if (!points.length) continue;
            const curve = look => this.path(points.map(p => this.at(p)), look).setAttribute('clip-path', `url(#${this.clip})`);
            if (line.sym) this.symbol(line.sym, () => { curve('hit narrow'); curve(`curve ${line.look}`); });
            else curve(`curve ${line.look}`);
        }
    }

    // A dot; above or below the frame an arrow head that points there.
    mark(p, look) {
        const {top, bottom} = this.frame, [cx, cy] = this.at(p);
        const [edge, way] = cy < top - 3 ? [top, -1] : cy > bottom + 3 ? [bottom, 1] : [cy, 0];
        if (way) this.path([[cx - 7, edge - 7 * way], [cx + 7, edge - 7 * way], [cx, edge + 5 * way]], `mark ${look}`);
        else this.add('circle', {cx, cy, r: 5, class: `mark ${look}`});
        return way !== 0;
    }
}

function ticks(axis) {
    if (axis.ticks) return axis.ticks;
    const values = [];
    if (axis.log) {
        const step = Math.max(1, Math.ceil(Math.log10(axis.to / axis.from) / 7));
        for (let e = Math.ceil(Math.log10(axis.from)); 10 ** e <= axis.to * 1.001; e += step) values.push(10 ** e);
        return values;
    }
    const rough = (axis.to - axis.from) / 5, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
    for (let i = Math.ceil(axis.from / step); i * step <= axis.to + step / 1000; i++) values.push(i * step);
    return values;
}

function tickName(value) {
    if (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) return scientific(value).replace('1.0·', '');
    return String(+value.toPrecision(6)).replace('-', '−');
}

// The key of a chart, in a <ul class="key">: [look, words, sym] each. `sym` is that of the line, if it has one.
function legend(list, entries) {
    list.replaceChildren(...entries.map(([look, words, sym]) => {
        const item = document.createElement('li'), sample = element('svg', {viewBox: '0 0 30 10', 'aria-hidden': 'true'});
        if (sym) item.dataset.sym = sym;
        if (sym) item.classList.toggle('lit', symbols.lit(list) === sym);
        sample.append(element('line', {x1: 1, y1: 5, x2: 29, y2: 5, class: `curve ${look}`}));
        item.append(sample, words);
        return item;
    }));
}

// Moves an input to a value within so many seconds, between its steps, too; at once for readers who want no motion. The
// reader's own hand on this input, or on the picture, ends it; on another control it does not.
function glide(controls, name, goal, seconds = 2) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return controls.set({[name]: goal});
    const input = controls.form.elements[name], {step} = input, from = controls.values[name], begin = performance.now();
    let last = from;
    const stop = () => {
        input.step = step;
        controls.update();
    };
    const next = now => {
        if (controls.values[name] !== last) return stop();
        const part = Math.max(0, Math.min(1, (now - begin) / (1000 * seconds)));
        controls.set({[name]: from + (goal - from) * part * part * (3 - 2 * part)});
        last = controls.values[name];
        if (part < 1) requestAnimationFrame(next);
        else stop();
    };
    input.step = 'any';
    requestAnimationFrame(next);
}
