// The section on training: models that train in workers, side by side, and what can be seen inside them.

// Scheme names that the reader chose, in order: those ticked, then those typed in.
function chosenSchemes(form) {
    const ticked = [...form.querySelectorAll('input[type=checkbox]:checked')].map(box => box.name);
    return [...new Set([...ticked, ...form.elements.others.value.split(/\s+/).filter(Boolean)])];
}

// Classes of style.css for these schemes: a plain one looks the same in every chart, its variants have its hue and a dash.
function schemeLooks(names) {
    const HUES = {none: 'none', learned: 'learned', sinusoidal: 'sinusoidal', rope: 'rope', 'rope-learned': 'rope', alibi: 'alibi', fox: 'content'}, seen = {};
    return names.map(name => {
        const hue = HUES[name.split(':')[0]] ?? 'other';
        if (HUES[name] && name !== 'rope-learned') return `scheme-${hue}`;
        const before = seen[hue] ?? (hue === 'other' ? 0 : 1); // without a dash there is the plain scheme
        seen[hue] = before + 1;
        return `scheme-${hue}${before ? ` dash${1 + (before - 1) % 6}` : ''}`;
    });
}

// What is wrong with these names before any of them is tried; '' if nothing is.
function complaintAbout(schemes) {
    const option = schemes.find(name => name.startsWith('-'));
    if (option) return `“${option}” is not a scheme: write names such as xpos or rope:base=100. Size, window, steps and seed have controls of their own.`;
    return schemes.length ? '' : 'Choose a scheme first.';
}

// The module's sentence, where it advises options of the command line, in terms of this page.
function forReaders(sentence) {
    const [, asked, scheme, known] = /^--context (\d+): the scheme (\S+) is not defined past (\d+) positions/.exec(sentence) ?? [];
    if (!asked) return sentence;
    return `windows of ${asked} bytes are too long: this scheme has positions 0 to ${known - 1} only` +
        (scheme === 'learned' ? '. To use the last position for all bytes after it, train “learned:past=clamp” (type it into “others”).' : '.');
}

// The options of `bitter train` that all models of this page share. A megabyte of tales is made in a tenth of a second.
function trainOptions(own, steps) {
    return `${own} --data builtin:tales:bytes=1e6 --batch 8 --steps ${steps} --warmup ${Math.min(50, steps >> 2)} ` +
        '--lr 2e-3 --min-lr 2e-4 --eval-tokens 8192';
}

// As many models work at once as the computer has processors; the others wait for their turn. More of them would be no
// faster, and the page would answer late.
const turns = {
    free: navigator.hardwareConcurrency || 2,
    waiting: [],

    // Runs `work` when it is its turn. Promise of what it returns.
    async during(work) {
        if (this.free > 0) this.free--;
        else await new Promise(resolve => this.waiting.push(resolve));
        try {
            return await work();
        } finally {
            if (this.waiting.length) this.waiting.shift()();
            else this.free++;
        }
    },
};

// One model in its worker: what it has learned so far, as the chart and the table need it.
class TrainedModel {
    TURN = 0.25; // seconds of training at a time

    // changed(model, type) is called with the worker's messages, and with "done" when the last step or a pause has come.
    constructor(name, look, changed) {
        Object.assign(this, {name, look, changed, began: null, losses: [], means: [], seconds: 0, training: false, running: false, ended: false, validation: NaN});
        this.over = new Promise(resolve => { this.giveUp = resolve; }); // a worker that has ended answers nothing
    }

    // What the worker answers; undefined if it ends before that.
    ask(type, details) {
        return Promise.race([this.worker.request(type, details), this.over]);
    }

    // Creates the model and takes the first steps; fails with the module's sentence.
    async start(options, steps) {
        await turns.during(async () => {
            if (this.ended) return;
            this.worker = new Bitter.ModelWorker('float', message => this.hear(message));
            this.shape = await this.ask('start', {options});
            if (!this.ended) this.began = await this.frequencies();
        });
        if (this.ended) return;
        this.goal = steps;
        if (this.paused) this.changed(this, 'paused');
        else this.go();
    }

    // Radians per token, a row for each layer and head; null if the scheme turns nothing.
    async frequencies() {
        const layers = Array.from({length: this.shape.layers}, (_, layer) => this.ask('frequencies', {layer}));
        return Promise.all(layers).then(rows => rows.flat(), () => null);
    }

    hear(message) {
        if (message.type === 'progress') {
            this.losses.push(...message.losses);
            this.seconds += message.seconds;
        }
        if (message.type === 'failed') this.error = message.error;
        if (message.type === 'done') this.stopped();
        else this.changed(this, message.type);
    }

    get unfinished() {
        return !this.error && !this.ended && this.losses.length < this.goal; // not yet, before the model exists
    }

    async go() {
        this.paused = false;
        if (!this.unfinished) return;
        this.training = true;
        if (this.running) return;
        this.running = true;
        this.validation = NaN;
        while (this.training && this.unfinished) await turns.during(() => this.training && this.turn());
        this.running = this.training = false;
        if (!this.ended) this.changed(this, 'done');
    }

    // Trains for a moment.
    turn() {
        const steps = Math.ceil(this.losses.length ? this.TURN * this.losses.length / this.seconds : 1);
        const stopped = new Promise(resolve => { this.stopped = resolve; });
        this.worker.request('step', {steps: Math.min(steps, this.goal - this.losses.length)});
        return Promise.race([stopped, this.over]);
    }

    pause() {
        this.paused = true; // also if it has not begun
        this.training = false;
        this.worker?.request('pause');
    }

    end() {
        this.training = false;
        this.ended = true;
        this.worker?.end();
        this.giveUp();
    }

    // Measures the loss on unseen text.
    async validate() {
        const validation = await turns.during(() => this.ended ? NaN : this.ask('validate'));
        if (!this.running && !this.ended) this.validation = validation;
    }

    // The curve: losses of single steps jump, so those of a few neighbours are shown together, each at its middle. Means
    // of a full number of neighbours are kept.
    points(most = 150) {
        const {losses, means} = this, each = Math.max(1, 2 ** Math.ceil(Math.log2(losses.length / most)));
        if (this.each !== each) means.length = 0;
        this.each = each;
        const mean = from => {
            const some = losses.slice(from, from + each);
            return [from + (some.length + 1) / 2, some.reduce((a, b) => a + b) / some.length];
        };
        while ((means.length + 1) * each <= losses.length) means.push(mean(means.length * each));
        return means.length * each < losses.length ? [...means, mean(means.length * each)] : means;
    }
}

// Means of neighbouring losses, as they were recorded, up to a step: points of a curve.
function recordedPoints(run, steps = Infinity) {
    return run.curve.map((loss, i) => [(i + 0.5) * RECORDED.EACH + 0.5, loss]).filter(([step]) => step <= steps);
}

// The axes depend on the number of steps alone: they stay as they are while models train. recorded: [{name, points, look}]
function drawLosses(chart, models, steps, recorded = []) {
    const last = models.map(m => `${m.name}: ${m.losses.length ? `${digits(m.losses.at(-1), 2)} after ${m.losses.length} steps` : 'starting'}`);
    const before = recorded.map(({name, points}) => `${name}: ${digits(points.at(-1)[1], 2)} after ${Math.round(points.at(-1)[0])} steps, recorded`);
    const curves = models.map(m => m.points()), words = [...before, ...last];
    chart.clear(words.length ? `Loss by step. ${words.join('; ')}.` : 'An empty chart of the loss by step. Training fills it.');
    chart.axes({from: 0, to: steps, name: 'step'}, {from: steps > 2000 ? 0 : 1, to: steps < 100 ? 6 : 4, name: 'loss, nats per byte'});
    chart.draw(recorded.map(({name, points, look}) => ({points, look: `${look} recorded`, sym: name})));
    chart.draw(models.map((m, i) => ({points: curves[i], look: m.look, sym: m.name})));
    models.forEach((m, i) => { if (curves[i].length) chart.mark(curves[i].at(-1), m.look); });
}

// Shows recorded curves up to `upTo` steps, and after the guess to their end: draw(steps) draws them so far.
function unroll(box, upTo, steps, draw) {
    const still = matchMedia('(prefers-reduced-motion: reduce)');
    ask(box, () => {
        const begin = performance.now(), next = now => {
            const part = still.matches ? 1 : Math.min(1, Math.max(0, now - begin) / 2500);
            draw(upTo + (steps - upTo) * part);
            if (part < 1) requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    });
}

// Calls these functions soon, one in each frame, and three times a second at most, however often it is asked to.
function seldom(...parts) {
    let asked = false;
    const next = left => requestAnimationFrame(() => {
        left[0]();
        if (left.length > 1) next(left.slice(1));
    });
    return () => {
        if (!asked) setTimeout(() => { asked = false; next(parts); }, 330);
        asked = true;
    };
}

const train = {
    models: [],
    // With what the page starts, and the schemes whose curves are recorded so (recorded.js).
    PRESET: {size: '--layers 2 --heads 4 --width 64', context: 64, seed: 1337, steps: 600,
        schemes: ['none', 'learned', 'sinusoidal', 'rope', 'alibi', 'rope-learned']},

    start(root, numbers) {
        Object.assign(this, {root, numbers});
        this.form = root.querySelector('form.settings');
        this.redraw = seldom(() => this.draw(), () => this.fillRows());
        this.chart = new Chart(root.querySelector('.curves'), 320, this.redraw);
        this.form.addEventListener('submit', event => { event.preventDefault(); this.begin(); });
        this.form.elements.pause.addEventListener('click', () => this.pause());
        inside.start(root.querySelector('form.inside'), root.querySelector('.answers'), this);
        this.guesses(...root.querySelectorAll('.ask'));
        this.form.addEventListener('input', () => { if (!this.models.length) this.draw(); });
        this.draw();
    },

    // The answers to both questions are what was recorded.
    guesses(lowest, longer) {
        const runs = RECORDED.train, at = length => RECORDED.lengths.indexOf(length), {context} = this.PRESET;
        const perplexity = ['none', 'alibi', 'rope'].map(name => `${name} ${digits(runs[name].validation, 2)}`);
        const pair = losses => [context, 4 * context].map(length => digits(losses[at(length)], 2)).join(' to ');
        unroll(lowest, this.upTo, this.PRESET.steps, steps => {
            this.upTo = steps;
            if (steps === this.PRESET.steps) show(this.root, {part: `All ${steps} steps. Which has the lowest loss?`});
            this.draw();
        });
        ask(longer, () => inside.showRecorded(runs));
        const stretched = ['NTK', 'YaRN', 'PI'].map(name => `${digits(runs.rope.windows[`${name.toLowerCase()} 4`][at(4 * context)], 2)} with ${name}`);
        show(this.root, {recorded: perplexity.join(', '), stretched: stretched.join(', '), longer: ['rope', 'alibi', 'none'].map(name => `${name}’s goes from ${pair(runs[name].windows.none)}`).join(', ')});
    },

    upTo: 60, // steps of the recorded curves that are shown before the reader has guessed

    // What was recorded of the schemes that are ticked, if the model is the recorded one; nothing once the reader trains.
    recorded() {
        const {PRESET, form} = this, same = ['size', 'context', 'seed', 'steps'].every(name => form.elements[name].value === String(PRESET[name]));
        const names = this.models.length || !same ? [] : chosenSchemes(form).filter(name => RECORDED.train[name]), looks = schemeLooks(names);
        return names.map((name, i) => ({name, look: looks[i], points: recordedPoints(RECORDED.train[name], this.upTo)}));
    },

    async begin() {
        const form = this.form, names = chosenSchemes(form), v = new Controls(form, () => {}).values, complaint = complaintAbout(names);
        show(this.root, {error: complaint});
        if (complaint) return;
        for (const model of this.models) model.end();
        inside.enable(false);
        this.steps = v.steps;
        const looks = schemeLooks(names);
        this.models = names.map((name, i) => new TrainedModel(name, looks[i], (model, type) => this.changed(model, type)));
        this.root.querySelector('.runs').hidden = false;
        this.rows();
        this.draw();
        this.fillRows();
        form.elements.pause.textContent = 'Pause';
        const options = trainOptions(`${v.size} --context ${v.context} --seed ${v.seed}`, v.steps);
        const begun = this.begun = Promise.all(this.models.map(model => model.start(`--pos ${model.name} ${options}`, v.steps)
            .catch(error => this.refused(model, error))));
        await begun;
        if (begun === this.begun) inside.enable(this.models.length > 0); // not when the reader has begun again meanwhile
    },

    // A scheme that cannot be trained so is taken away, from the legend, too, with the program's own sentence.
    refused(model, error) {
        model.end();
        this.models = this.models.filter(other => other !== model);
        model.row.remove();
        show(this.root, {error: `${model.name}: ${forReaders(error.message)}`});
        this.redraw();
    },

    pause() {
        const training = this.models.some(m => m.training);
        for (const model of this.models) if (training) model.pause(); else model.go();
        this.form.elements.pause.textContent = training ? 'Continue' : 'Pause';
    },

    async changed(model, type) {
        if (type === 'failed') show(this.root, {error: model.error});
        if (type === 'done') await model.validate();
        this.redraw();
    },

    rows() {
        this.root.querySelector('.runs tbody').replaceChildren(...this.models.map(model => {
            model.row = document.createElement('tr');
            model.row.innerHTML = '<th scope="row"></th>' + '<td></td>'.repeat(5);
            model.row.firstChild.textContent = model.row.firstChild.dataset.sym = model.name;
            return model.row;
        }));
    },

    draw() {
        const recorded = this.recorded();
        drawLosses(this.chart, this.models, this.steps || this.PRESET.steps, recorded);
        legend(this.root.querySelector('.key'), [...recorded.map(run => [`${run.look} recorded`, `${run.name}, recorded`, run.name]), ...this.models.map(m => [m.look, m.name, m.name])]);
        this.form.elements.pause.disabled = !this.models.some(model => model.unfinished);
    },

    fillRows() {
        for (const model of this.models) {
            const steps = model.losses.length, measured = Number.isFinite(model.validation);
            const cells = [`${steps} of ${model.goal ?? this.steps}`, steps ? digits(model.losses.at(-1), 3) : 'starting',
                measured ? digits(model.validation, 3) : 'when it stops', measured ? digits(Math.exp(model.validation), 2) : '',
                model.seconds ? digits(steps / model.seconds, 1) : ''];
            cells.forEach((text, i) => {
                const cell = model.row.cells[i + 1];
                if (cell.textContent !== text) cell.textContent = text;
            });
        }
    },
};
