// Section 6: models that train in workers, side by side, and what can be seen inside them.

// Scheme names that the reader chose, in order: those ticked, then those typed in.
function chosenSchemes(form) {
    const ticked = [...form.querySelectorAll('input[type=checkbox]:checked')].map(box => box.name);
    return [...new Set([...ticked, ...form.elements.others.value.split(/\s+/).filter(Boolean)])];
}

// The options of `bitter train` that all models of this page share. A megabyte of tales is made in a tenth of a second.
function trainOptions(own, steps) {
    return `${own} --data builtin:tales:bytes=1e6 --batch 8 --steps ${steps} --warmup ${Math.min(50, steps >> 2)} ` +
        '--lr 2e-3 --min-lr 2e-4 --eval-tokens 8192';
}

// One model in its worker: what it has learned so far, as the chart and the table need it.
class TrainedModel {
    constructor(name, look, changed) {
        Object.assign(this, {name, look, losses: [], seconds: 0, training: false, validation: NaN});
        this.worker = new Bitter.ModelWorker('float', message => {
            if (message.type === 'progress') {
                this.losses.push(...message.losses);
                this.seconds += message.seconds;
            } else {
                this.training = false;
                if (message.type === 'failed') this.error = message.error;
            }
            changed(this, message.type);
        });
    }

    // Creates the model and takes the first steps; fails with the module's sentence.
    async start(options, steps) {
        this.shape = await this.worker.request('start', {options});
        this.goal = steps;
        this.go();
    }

    get unfinished() {
        return !this.error && this.losses.length < this.goal; // not yet, before the model exists
    }

    go() {
        if (this.training || !this.unfinished) return;
        this.training = true;
        this.validation = NaN;
        this.worker.request('step', {steps: this.goal - this.losses.length});
    }

    // The curve: losses of single steps jump, so those of a few neighbours are shown together, each at its middle.
    points(most = 150) {
        const each = Math.max(1, Math.ceil(this.losses.length / most)), points = [];
        for (let i = 0; i < this.losses.length; i += each) {
            const some = this.losses.slice(i, i + each);
            points.push([i + (some.length + 1) / 2, some.reduce((a, b) => a + b) / some.length]);
        }
        return points;
    }
}

function drawLosses(chart, models, steps) {
    const last = models.map(m => `${m.name}: ${m.losses.length ? `${digits(m.losses.at(-1), 2)} after ${m.losses.length} steps` : 'starting'}`);
    const curves = models.map(m => m.points()), seen = curves.flat().map(p => p[1]);
    chart.clear(models.length ? `Loss by step. ${last.join('; ')}.` : 'An empty chart of the loss by step. Training fills it.');
    chart.axes({from: 0, to: steps, name: 'step'}, {from: Math.floor(Math.min(2, ...seen)), to: 6, name: 'loss, nats a byte'});
    chart.draw(models.map((m, i) => ({points: curves[i], look: m.look})));
    models.forEach((m, i) => { if (curves[i].length) chart.mark(curves[i].at(-1), m.look); });
}

// Calls `draw` soon, a few times a second at most, however often it is asked to.
function seldom(draw) {
    let asked = false;
    return () => {
        if (!asked) setTimeout(() => requestAnimationFrame(() => { asked = false; draw(); }), 200);
        asked = true;
    };
}

const train = {
    models: [],

    start(root, numbers) {
        Object.assign(this, {root, numbers});
        this.form = root.querySelector('form.settings');
        this.redraw = seldom(() => this.draw());
        this.chart = new Chart(root.querySelector('.curves'), 320, this.redraw);
        this.form.addEventListener('submit', event => { event.preventDefault(); this.begin(); });
        this.form.elements.pause.addEventListener('click', () => this.pause());
        inside.start(root.querySelector('form.inside'), root.querySelector('.answers'), this);
        this.draw();
    },

    async begin() {
        const form = this.form, names = chosenSchemes(form), v = new Controls(form, () => {}).values;
        for (const model of this.models) model.worker.end();
        show(this.root, {error: names.length ? '' : 'Choose a scheme first.'});
        this.steps = v.steps;
        this.models = names.map((name, i) => new TrainedModel(name, `s${i % 8}`, (model, type) => this.changed(model, type)));
        legend(this.root.querySelector('.key'), this.models.map(m => [m.look, m.name]));
        this.rows();
        this.draw();
        form.elements.pause.textContent = 'Pause';
        const options = trainOptions(`${v.size} --context ${v.context} --seed ${v.seed}`, v.steps);
        await Promise.all(this.models.map(model => model.start(`--pos ${model.name} ${options}`, v.steps)
            .catch(error => this.refused(model, error))));
        inside.enable(this.models.length > 0);
    },

    // A scheme that cannot be trained so is taken away, with the program's own sentence.
    refused(model, error) {
        model.worker.end();
        this.models = this.models.filter(other => other !== model);
        model.row.remove();
        show(this.root, {error: error.message});
        this.redraw();
    },

    pause() {
        const training = this.models.some(m => m.training);
        for (const model of this.models) if (training) model.worker.request('pause'); else model.go();
        this.form.elements.pause.textContent = training ? 'Go on' : 'Pause';
    },

    async changed(model, type) {
        if (type === 'failed') show(this.root, {error: model.error});
        if (type === 'done') {
            model.validation = await model.worker.request('validate');
            model.perplexity = digits(Math.exp(model.validation), 2);
        }
        this.redraw();
    },

    rows() {
        this.root.querySelector('.runs tbody').replaceChildren(...this.models.map(model => {
            model.row = document.createElement('tr');
            model.row.innerHTML = '<th scope="row"></th>' + '<td></td>'.repeat(5);
            model.row.firstChild.textContent = model.name;
            return model.row;
        }));
    },

    draw() {
        drawLosses(this.chart, this.models, this.steps || 600);
        this.form.elements.pause.disabled = !this.models.some(model => model.unfinished);
        for (const model of this.models) {
            const steps = model.losses.length, measured = Number.isFinite(model.validation);
            const cells = [`${steps} of ${model.goal ?? this.steps}`, steps ? digits(model.losses.at(-1), 3) : 'starting',
                measured ? digits(model.validation, 3) : 'at the end', measured ? model.perplexity : '',
                model.seconds ? digits(steps / model.seconds, 1) : ''];
            cells.forEach((text, i) => { model.row.cells[i + 1].textContent = text; });
        }
    },
};
