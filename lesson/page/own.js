// The section on a scheme of one's own: a formula, its curve, which can be pulled, its derivatives beside measured ones,
// a check of all gradients, a link to it, and a race.

// What each form of a formula is called in the picture: `variable` goes along x, and `which` is what the curves differ by.
const FORMS = [
    {form: 'bias', variable: 'd', count: 64, x: 'distance', y: 'bias on the score', which: 'head', lines: 4, at: 20},
    {form: 'angle', variable: 'i', count: 8, x: 'pair', y: 'radians per token', which: 'head', lines: 4, at: 3},
    {form: 'code', variable: 't', count: 64, x: 'position', y: 'added to the embedding', which: 'channel', lines: 64, at: 20},
];

// A formula that the program has read, with numbers of its own for what is trained.
class Formula {
    // Fails with the program's sentence.
    constructor(text, numbers) {
        const [[form, line], ...params] = numbers.module.table('lesson_formula', text);
        const number = word => Number(word.replace('inf', 'Infinity'));
        this.numbers = numbers;
        this.text = line;
        this.shape = FORMS[form];
        this.params = params.map(([name, least, most]) => ({name, least: number(least), most: number(most)}));
        this.heads = [0, 1, 2, 3].map(h => params.map(words => number(words[3 + h])));
    }

    head(which) {
        return this.shape.form === 'code' ? 0 : which;
    }

    // Along the curve of a head or channel, at each n: {value, slopes, measured}, slopes with respect to each parameter.
    along(which, params = this.heads[this.head(which)]) {
        const {count, form} = this.shape, each = 1 + 2 * params.length;
        const filled = this.numbers.fill('lesson_formula_at', count * each, params, this.head(which), form === 'code' ? which : 0, count);
        return Array.from({length: count}, (_, n) => {
            const [value, ...both] = filled.slice(n * each, (n + 1) * each);
            return {value, slopes: both.filter((_, i) => i % 2 === 0), measured: both.filter((_, i) => i % 2 === 1)};
        });
    }

    // Moves the parameters along their derivatives at n, within their bounds, until the value there is `goal`, or nearer.
    pull(which, n, goal) {
        const head = this.head(which);
        for (let round = 0; round < 30; round++) {
            const params = this.heads[head], {value, slopes} = this.along(which)[n];
            const steep = slopes.reduce((sum, slope) => sum + slope * slope, 0), left = goal - value;
            if (!(steep > 1e-12) || Math.abs(left) < 1e-6) return;
            const moved = part => params.map((p, i) => Math.min(this.params[i].most, Math.max(this.params[i].least, p + part * left * slopes[i] / steep)));
            const nearer = part => this.along(which, moved(part)).every((at, i) => Number.isFinite(at.value) && (i !== n || Math.abs(goal - at.value) < Math.abs(left)));
            const part = [1, 0.5, 0.2, 0.05].find(nearer);
            if (!part) return;
            this.heads[head] = moved(part);
        }
    }
}

// Where the program's sentence points: [first, end) in the text, or null.
function faultIn(text, sentence) {
    const [, line, column] = /line (\d+), column (\d+)/.exec(sentence) ?? [];
    if (!line) return null;
    const lines = text.split('\n'), bytes = new TextEncoder().encode(lines[line - 1] ?? '');
    const before = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    const first = before + new TextDecoder().decode(bytes.subarray(0, column - 1)).length;
    return [first, first + (/^\w+/.exec(text.slice(first))?.[0].length ?? 1)];
}

const own = {
    start(root, numbers) {
        Object.assign(this, {root, numbers, form: root.querySelector('form.write'), checking: null, checked: ''});
        this.chart = new Chart(root.querySelector('.curve-chart'), 300, () => this.draw(), 210);
        this.slopes = new Chart(root.querySelector('.slope-chart'), 170, () => this.draw());
        this.form.elements.pull.addEventListener('input', event => this.pull(event.target.valueAsNumber));
        this.form.elements.formula.addEventListener('input', () => { this.here = true; this.read(); });
        for (const name of ['which', 'at']) this.form.elements[name].addEventListener('input', () => this.settle());
        for (const button of root.querySelectorAll('[data-example]'))
            button.addEventListener('click', () => this.write(root.querySelector(`#example-${button.dataset.example}`).content.textContent.trim(), button.dataset.at));
        this.form.elements.share.addEventListener('click', () => this.share());
        this.controls = new Controls(this.form, () => this.draw());
        ask(root.querySelector('.pulled'), () => this.show());
        race.start(root, () => this.good && this.formula.text);
        addEventListener('hashchange', () => this.open());
        this.read();
        this.open();
        this.controls.update();
        // The gradient check takes some seconds of a worker, so it waits until the reader is here.
        new IntersectionObserver((entries, observer) => {
            if (!entries.some(entry => entry.isIntersecting)) return;
            observer.disconnect();
            this.here = true;
            this.check();
        }).observe(this.form);
    },

    // Puts a formula into the form, as if it was typed, and the mark at a place of its curve.
    write(text, at) {
        this.form.elements.formula.value = text;
        this.here = true;
        this.read();
        if (at) this.form.elements.at.value = at;
        this.settle();
        this.controls.update();
    },

    // The text has changed.
    read() {
        const text = this.form.elements.formula.value, before = this.formula?.shape;
        let fault = null, sentence = '';
        try {
            this.formula = new Formula(text, this.numbers);
        } catch (error) {
            sentence = error.message.replace(/^--pos: /, '');
            fault = faultIn(text, sentence);
        }
        this.good = !sentence;
        show(this.root, {error: sentence});
        this.underline(text, fault);
        this.root.classList.toggle('stale', !this.good);
        this.root.classList.toggle('other', text !== this.form.elements.formula.defaultValue);
        this.form.elements.formula.setAttribute('aria-invalid', !this.good);
        if (!this.checking && !(this.good && this.formula.text === this.checked)) this.verdict('', true);
        if (!this.good) return;
        if (this.formula.shape !== before) this.reshape();
        this.frame();
        this.settle();
        layer.controls.update(); // which may show this scheme
        clearTimeout(this.soon);
        this.soon = setTimeout(() => this.check(), 700);
    },

    // The same text lies under the one that is typed, with a mark where the program's sentence points.
    underline(text, fault) {
        const under = this.root.querySelector('.under'), mark = document.createElement('mark');
        under.textContent = fault ? text.slice(0, fault[0]) : text;
        if (fault) {
            mark.textContent = text.slice(...fault).replace('\n', ' \n') || ' ';
            under.append(mark, text.slice(fault[1]));
        }
        under.append('\n'); // so that the last line has its height
    },

    reshape() {
        const {shape} = this.formula, {which, at} = this.form.elements;
        which.max = shape.lines - 1;
        at.max = shape.count - 1;
        which.value = 0;
        at.value = shape.at;
        show(this.root, {'which-name': shape.which, 'at-name': shape.x});
    },

    // The axes, which stay as they are while the curve is pulled.
    frame() {
        const {lines, form} = this.formula.shape;
        const all = Array.from({length: lines}, (_, which) => this.formula.along(which).map(at => at.value)).flat();
        if (form === 'angle') all.push(1);
        const low = Math.min(0, ...all), high = Math.max(0, ...all), spare = (high - low || 1) * 0.15;
        this.y = {from: low < 0 ? low - spare : 0, to: high > 0 ? high + spare : spare};
        Object.assign(this.form.elements.pull, {min: this.y.from, max: this.y.to});
    },

    // The slider that pulls stands where the curve is.
    settle() {
        const {which, at} = this.form.elements;
        this.form.elements.pull.value = this.formula.along(which.valueAsNumber)[at.valueAsNumber].value;
        this.form.elements.pull.disabled = !this.formula.params.length;
        this.chart.svg.classList.toggle('fixed', !this.formula.params.length);
    },

    pull(goal) {
        const {which, at} = this.form.elements;
        this.formula.pull(which.valueAsNumber, at.valueAsNumber, goal);
        this.settle();
    },

    // Pulls the curve with which the page begins, slowly, to -6 at distance 20.
    show() {
        const {form, controls} = this;
        if (form.elements.formula.value !== form.elements.formula.defaultValue) return; // the reader's own stays
        form.elements.which.value = 0;
        this.write(form.elements.formula.defaultValue, 20);
        controls.update();
        glide({form, get values() { return controls.values; }, set: ({pull}) => { this.pull(pull); controls.update(); }, update() {}}, 'pull', -6, 2.5);
    },

    draw() {
        if (!this.formula || !this.y) return;
        const {which, at} = new Controls(this.form, () => {}).values;
        this.drawCurves(which, at);
        this.writeFormula(which, at);
        this.drawSlopes(which, at);
    },

    drawCurves(which, at) {
        const {formula, chart} = this, {shape} = formula, curve = formula.along(which).map(({value}, n) => [n, value]);
        const others = Array.from({length: shape.lines}, (_, i) => i).filter(i => i !== which && (shape.lines < 8 || i % 8 === which % 8));
        chart.clear(`${formula.text}. ${shape.which} ${which}: ${digits(curve[0][1], 3)} at ${shape.x} 0, ${digits(curve[at][1], 3)} at ${at}, ` +
            `${digits(curve.at(-1)[1], 3)} at ${shape.count - 1}.`);
        chart.axes({from: 0, to: shape.count - 1, name: shape.x}, {...this.y, name: shape.y});
        const faint = others.map(i => ({points: formula.along(i).map(({value}, n) => [n, value]), look: 'faint'}));
        const rope = curve.map((_, n) => [n, this.numbers.theta(10000, n, 2 * shape.count)]);
        if (shape.form === 'angle') chart.draw([{points: rope, look: 'scheme-rope'}]);
        chart.draw([...faint, {points: curve, look: 'scheme-own thick', sym: shape.form}]);
        if (shape.form === 'angle') chart.text(chart.at([1.15, rope[1][1] + 0.05 * this.y.to]), 'rope', 'tick scheme-rope');
        const [x, y] = chart.at(curve[at]);
        this.markPlace(chart, x);
        chart.mark(curve[at], 'scheme-own');
        // A hand on the curve chooses the place by going along, and pulls by going up and down.
        chart.handle('pull', [x, Math.max(chart.frame.top, Math.min(chart.frame.bottom, y))], pixel => this.drag(pixel));
    },

    // The place that is marked, in both charts.
    markPlace(chart, x) {
        chart.symbol('place', () => chart.line([x, chart.frame.top], [x, chart.frame.bottom], 'drop'));
    },

    // The line of the formula that says where it enters the model. Its name lights the curve, the variable the place that is
    // marked, a trained number the curve of its derivative.
    writeFormula(which, at) {
        const {formula, root} = this, {form, variable, x} = formula.shape, names = formula.params.map(param => param.name);
        const line = formula.text.split(/[;\n]|,\s*(?=[a-z_]\w*\s*=[^=])/i).find(part => new RegExp(`^\\s*${form}\\b`).test(part)) ?? formula.text;
        const symbol = word => word === form ? `{${form}}` : word === variable ? `{place:${word}}` : names.includes(word) ? `{param ${word}:${word}}` : word;
        const value = formula.along(which)[at].value, printed = line.trim().replace(/-/g, '−').replace(/\s*\*\s*/g, ' · ');
        symbols.write(root.querySelector('.written'), printed.replace(/[a-z_]\w*/gi, symbol), name => name === form ? 'scheme-own' : name === 'place' ? 'plain' : 'backward');
        show(root, {value: `= ${digits(value, 3)} at ${x} ${at}`});
    },

    drag([px, py]) {
        const {left, right, top, bottom} = this.chart.frame, {count} = this.formula.shape, {from, to} = this.y;
        const {at} = this.form.elements, goal = Math.round((px - left) / (right - left) * (count - 1));
        if (Math.abs(goal - at.valueAsNumber) * (right - left) > 28 * (count - 1)) {
            at.value = goal;
            this.settle();
        } else {
            this.pull(from + (bottom - py) / (bottom - top) * (to - from));
        }
        this.controls.update();
    },

    drawSlopes(which, at) {
        const {formula, slopes} = this, {shape, params} = formula, along = formula.along(which), now = formula.heads[formula.head(which)];
        this.root.querySelector('.slopes').hidden = !params.length;
        show(this.root, {'none-trained': params.length ? '' : 'Nothing in this formula is trained, so it has no gradient of its own. A line such as “a = 1” adds a trained number.'});
        if (!params.length) return;
        const lines = params.map((param, p) => ({points: along.map(({slopes}, n) => [n, slopes[p]]), look: `backward dash${p}`, sym: `param ${param.name}`}));
        const all = lines.flatMap(line => line.points.map(p => p[1])), low = Math.min(0, ...all), high = Math.max(0, ...all), spare = (high - low || 1) * 0.08;
        slopes.clear(`Derivatives of ${shape.which} ${which} by ${shape.x}, with the measured ones as dots: ` +
            params.map(({name}, p) => `${name} ${digits(along[at].slopes[p], 3)}, measured ${digits(along[at].measured[p], 3)}`).join('; ') + ` at ${at}.`);
        slopes.axes({from: 0, to: shape.count - 1, name: shape.x}, {from: low - spare, to: high + spare, name: 'derivative'});
        slopes.draw(lines);
        for (let n = 0; n < along.length; n += along.length > 16 ? 4 : 1)
            for (const value of along[n].measured) slopes.add('circle', {cx: slopes.at([n, value])[0], cy: slopes.at([n, value])[1], r: 3, class: 'dot measured'});
        this.markPlace(slopes, slopes.at([at, 0])[0]);
        legend(this.root.querySelector('.slopes .key'), params.map(({name}, p) => [`backward dash${p}`, `derivative with respect to ${name}`, `param ${name}`]));
        this.root.querySelector('.slopes tbody').replaceChildren(...params.map(({name}, p) => {
            const row = document.createElement('tr'), head = document.createElement('th');
            head.scope = 'row';
            head.textContent = name;
            head.dataset.sym = `param ${name}`;
            row.append(head);
            for (const value of [now[p], along[at].slopes[p], along[at].measured[p]]) row.insertCell().textContent = digits(value, 4);
            return row;
        }));
    },

    // --- all gradients of a model that has this scheme ---

    // One check at a time; when it ends, what has been typed meanwhile is checked.
    async check() {
        const {text} = this.formula;
        if (!this.here || !this.good || this.checking || this.checked === text) return;
        this.checking = text;
        this.verdict('Checking all gradients of a model with your scheme …', true);
        try {
            this.worker ??= new Bitter.ModelWorker('double');
            const tensors = await this.worker.request('gradcheck', {scheme: `{${text}}`});
            const wrong = tensors.filter(t => !t.ok), worst = Math.max(...tensors.map(t => t.worst));
            this.verdict(wrong.length ? `These gradients differ from the measured slopes: ${wrong.map(t => t.name).join(', ')}. At a corner or a jump (abs, min, max, if, floor) there is no slope to measure.`
                : `All ${tensors.length} gradients of a model with your scheme agree with measured slopes; the largest relative error is ${scientific(worst)}.`, !wrong.length);
        } catch (error) {
            this.verdict(error.message.replace(/^--pos: /, ''), false);
        }
        this.checking = null;
        this.checked = text;
        if (!this.good || this.formula.text !== text) this.verdict('', true);
        this.check();
    },

    verdict(words, right) {
        show(this.root, {checked: words});
        this.root.querySelector('[data-show=checked]').classList.toggle('wrong', !right);
    },

    // --- a link ---

    // The formula stands behind "#own=" in the address.
    async share() {
        if (!this.good) return show(this.root, {shared: 'Correct the formula first.'});
        const behind = encodeURIComponent(this.form.elements.formula.value).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16)}`);
        location.hash = `own=${behind}`;
        const copied = await Promise.resolve(navigator.clipboard?.writeText(location.href)).then(() => navigator.clipboard !== undefined, () => false);
        show(this.root, {shared: copied ? 'Copied.' : 'The link is in the address bar now.'});
    },

    // Shows the formula of the address, if it has one.
    open() {
        const [, behind] = /^#own=(.*)$/s.exec(location.hash) ?? [];
        if (!behind) return false;
        try {
            const text = decodeURIComponent(behind);
            if (text === this.form.elements.formula.value && this.formula) return true;
            this.write(text);
        } catch {
            show(this.root, {error: 'The formula in the address is damaged.'});
            return false;
        }
        this.root.scrollIntoView({behavior: 'instant'});
        return true;
    },
};

// Three models that train side by side: the reader's scheme, rope and none.
const race = {
    STEPS: 300,
    KINDS: [['yours', 'scheme-own'], ['rope', 'scheme-rope'], ['none', 'scheme-none']],
    models: [],

    // scheme() is the formula in one line, or false while there is none that can be read.
    start(root, scheme) {
        Object.assign(this, {root, scheme, form: root.querySelector('form.race')});
        const draw = () => drawLosses(this.chart, this.models, this.STEPS);
        this.redraw = seldom(draw);
        this.chart = new Chart(root.querySelector('.curves'), 300, this.redraw);
        this.form.addEventListener('submit', event => { event.preventDefault(); this.begin(); });
        draw();
    },

    async begin() {
        const text = this.scheme(), guess = new Controls(this.form, () => {}).values.guess;
        show(this.root, {'race-error': text ? guess ? '' : 'Guess first.' : 'Correct the formula first.', verdict: ''});
        if (!text || !guess) return;
        for (const model of this.models) model.end();
        const options = trainOptions('--layers 2 --heads 4 --width 64 --context 64', this.STEPS);
        const models = this.models = this.KINDS.map(([name, look]) => new TrainedModel(name, look, (model, type) => this.changed(models, guess, type, model)));
        this.root.querySelector('.track').hidden = false;
        legend(this.root.querySelector('.track .key'), models.map(m => [m.look, m.name, m.name]));
        show(this.root, {verdict: 'Training …'});
        try {
            await Promise.all(models.map(model => model.start(`--pos ${model.name === 'yours' ? `{${text}}` : model.name} ${options}`, this.STEPS)));
        } catch (error) {
            for (const model of models) model.end();
            show(this.root, {'race-error': error.message, verdict: ''});
        }
    },

    async changed(models, guess, type, model) {
        if (type === 'failed') show(this.root, {'race-error': model.error, verdict: ''});
        if (type === 'done' && !model.error) await model.validate();
        if (models === this.models && models.every(m => Number.isFinite(m.validation))) this.finish(models, guess);
        this.redraw();
    },

    finish(models, guess) {
        const first = models.reduce((a, b) => a.validation < b.validation ? a : b).name;
        show(this.root, {verdict: `Loss on unseen text: ${models.map(m => `${m.name} ${digits(m.validation, 2)}`).join(', ')}. Lowest: ${first}` +
            `${first === guess ? ', as you guessed' : `; you guessed ${guess}`}. With one seed, a difference of a few percent may be chance.`});
    },
};
