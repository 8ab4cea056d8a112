// The section on training, second half: samples, attention, frequencies and longer windows of the models that train.js has trained.

// ", NTK × 4" of "ntk 4"; nothing of "none".
function stretchName(method) {
    const [name, factor] = method.split(' '), known = {pi: 'PI', ntk: 'NTK', yarn: 'YaRN'};
    return name === 'none' ? '' : `, ${known[name]} × ${factor}`;
}

const inside = {
    start(form, answers, training) {
        Object.assign(this, {form, answers, training});
        this.controls = new Controls(form, ({stretch}) => { form.elements.factor.disabled = stretch === 'none'; });
        this.controls.update();
        for (const name of ['stretch', 'factor']) // an answer with another stretch would mislead
            form.elements[name].addEventListener('input', () => { if (answers.querySelector('div') && !form.elements.sample.disabled) this.forget(); });
        for (const what of ['sample', 'attention', 'frequencies', 'beyond'])
            form.elements[what].addEventListener('click', () => this.ask(what));
    },

    forget() {
        const note = document.createElement('p');
        note.textContent = 'The stretch has changed: press a button again.';
        this.answers.replaceChildren(note);
    },

    enable(able) {
        for (const button of this.form.querySelectorAll('button')) button.disabled = !able;
        // Without trained frequencies there is nothing to see.
        if (able) this.form.elements.frequencies.disabled = !this.training.models.some(model => model.began && model.shape.positional > 0);
    },

    // Asks all models, each with the stretch that is chosen, and shows the answers side by side.
    async ask(what) {
        const v = this.controls.values, method = v.stretch === 'none' ? 'none' : `${v.stretch} ${v.factor}`;
        this.enable(false);
        const note = document.createElement('p'), boxes = document.createElement('div');
        note.textContent = 'Asking the models …';
        this.answers.replaceChildren(note, boxes);
        boxes.className = 'many';
        await this[what](boxes, note, v, method);
        this.enable(true);
    },

    // Calls one model's worker; a scheme that cannot be stretched so is asked again with no stretch, and `why` tells.
    async stretched(model, method) {
        try {
            await model.worker.request('stretch', {method});
            return {used: method};
        } catch (error) {
            await model.worker.request('stretch', {method: 'none'});
            return {used: 'none', why: forReaders(error.message)};
        }
    },

    box(boxes, title) {
        const box = document.createElement('div'), heading = document.createElement('h4');
        heading.textContent = title;
        box.append(heading);
        boxes.append(box);
        return box;
    },

    title(model, method) {
        return `${model.name}${stretchName(method)}, ${model.losses.length} steps`;
    },

    paragraph(box, text, look = 'small') {
        const p = document.createElement('p');
        p.className = look;
        p.textContent = text;
        box.append(p);
    },

    picture(box, PictureClass, ...size) {
        const svg = element('svg');
        box.append(svg);
        return new PictureClass(svg, ...size, () => svg.redraw?.());
    },

    async sample(boxes, note, v, method) {
        note.textContent = `Each model continues “${v.prompt}”, one byte at a time.`;
        for (const model of this.training.models) {
            const {used} = await this.stretched(model, method);
            const box = this.box(boxes, this.title(model, used));
            try {
                this.paragraph(box, v.prompt + await model.worker.request('sample', {prompt: v.prompt, tokens: 200}), 'sample');
            } catch (error) {
                this.paragraph(box, error.message, 'error');
            }
        }
    },

    // A grid: a row for each layer and head, a column for each distance.
    async attention(boxes, note, v, method) {
        note.textContent = 'How much each head attends to tokens at each distance, on unseen text. Each row is one head. A stronger colour means more attention (on a square-root scale).';
        for (const model of this.training.models) {
            const {used} = await this.stretched(model, method);
            const layers = await model.worker.request('attention'), rows = layers.flat(), heads = layers[0].length;
            const most = Math.min(32, rows[0].length), top = Math.max(...rows.flat());
            const height = rows.length * 22 + 36, grid = this.picture(this.box(boxes, this.title(model, used)), Picture, 340, height);
            grid.clear(rows.map((row, r) => `Layer ${Math.floor(r / heads)}, head ${r % heads}: most attention, ` +
                `${digits(Math.max(...row), 2)}, at distance ${row.indexOf(Math.max(...row))}.`).join(' '));
            grid.svg.classList.add('heat');
            rows.forEach((row, r) => {
                grid.text([0, r * 22 + 15], `${Math.floor(r / heads)}.${r % heads}`, 'tick');
                for (let j = 0; j < most; j++)
                    grid.add('rect', {x: 28 + j * 312 / most, y: r * 22, width: 312 / most - 0.5, height: 20, class: model.look, 'fill-opacity': Math.sqrt(row[j] / top).toFixed(3)});
            });
            for (const j of [0, 8, 16, 24]) grid.text([28 + (j + 0.5) * 312 / most, height - 20], String(j), 'tick middle');
            grid.text([184, height - 5], 'distance; rows are layer.head', 'tick middle');
        }
    },

    // Frequencies of those models that learn them, by pair, as multiples of what they were before training.
    async frequencies(boxes, note) {
        const moved = [], kept = [], without = [];
        for (const model of this.training.models) {
            const now = model.began && await model.frequencies();
            const multiples = now?.map((row, r) => row.map((value, i) => value === model.began[r][i] ? 1 : value / model.began[r][i]));
            if (!now) without.push(model.name);
            else if (multiples.flat().every(x => x === 1)) kept.push(model.name);
            else moved.push({model, multiples});
        }
        const list = (names, one, many) => names.length ? `${names.join(', ')} ${names.length > 1 ? many : one}. ` : '';
        note.textContent = (moved.length ? 'How training has changed the frequencies: one line for each layer and head, as multiples of what they were. '
            : 'None of these models learns its frequencies; rope-learned does. ') +
            list(kept, 'keeps its frequencies', 'keep their frequencies') + list(without, 'turns no pairs', 'turn no pairs');
        for (const {model, multiples} of moved) this.drawFrequencies(this.picture(this.box(boxes, this.title(model, 'none')), Chart, 240), multiples, model.look);
    },

    drawFrequencies(chart, multiples, look) {
        chart.svg.redraw = () => this.drawFrequencies(chart, multiples, look);
        const pairs = multiples[0].length, all = multiples.flat();
        chart.clear(multiples.map((row, r) => `Line ${r}: ${row.map(value => digits(value, 2)).join(', ')} times the frequency before training.`).join(' '));
        chart.axes({from: 0, to: pairs - 1, ticks: Array.from({length: pairs}, (_, i) => i), name: 'pair'},
            {from: Math.min(0.8, ...all), to: Math.max(1.25, ...all), name: 'multiple'});
        chart.draw([{points: [[0, 1], [pairs - 1, 1]], look: 'trained'}, ...multiples.map(row => ({points: row.map((value, i) => [i, value]), look}))]);
    },

    // A box for losses by length of the window: its legend and its chart.
    windows(boxes) {
        const box = this.box(boxes, 'Loss on unseen text by length of the window'), key = document.createElement('ul');
        key.className = 'key';
        box.append(key);
        boxes.className = '';
        return {box, key, chart: this.picture(box, Chart, 280)};
    },

    // What was recorded of the schemes with which the page starts, unless the reader's own answers stand there.
    showRecorded(runs) {
        if (this.answers.querySelector('div')) return;
        const boxes = document.createElement('div'), {lengths} = RECORDED, lines = [];
        this.answers.replaceChildren(boxes);
        const shown = [['none', 'none'], ['alibi', 'none'], ['rope', 'none'], ['rope', 'ntk 4'], ['rope', 'yarn 4'], ['rope', 'pi 4']],
            looks = schemeLooks(shown.map(([name, method]) => method === 'none' ? name : `${name}:${method}`));
        for (const [i, [name, method]] of shown.entries())
            lines.push({name: `${name}${stretchName(method)}, recorded`, look: looks[i], points: runs[name].windows[method].map((loss, j) => [lengths[j], loss])});
        const {key, chart} = this.windows(boxes);
        legend(key, lines.map(line => [line.look, line.name, line.name]));
        this.drawBeyond(chart, lines, lengths, this.training.PRESET.context);
    },

    async beyond(boxes, note, v, method) {
        const {box, key, chart} = this.windows(boxes);
        const context = this.training.models[0].shape.context, lengths = [context / 2, context, context * 2, context * 4], lines = [];
        for (const model of this.training.models) {
            const {used, why} = await this.stretched(model, method), points = [];
            note.textContent = `Trained in windows of ${context} bytes, tested in shorter and longer ones.`;
            if (why) this.paragraph(box, `${model.name} is not stretched: ${why}`);
            for (const length of lengths) {
                try {
                    points.push([length, await model.worker.request('loss_at', {length})]);
                } catch (error) {
                    this.paragraph(box, `${model.name}: ${forReaders(error.message)}`);
                    break;
                }
            }
            lines.push({name: this.title(model, used), look: model.look, points});
            legend(key, lines.map(line => [line.look, line.name, line.name]));
            this.drawBeyond(chart, lines, lengths, context);
        }
    },

    drawBeyond(chart, lines, lengths, context) {
        chart.svg.redraw = () => this.drawBeyond(chart, lines, lengths, context);
        const losses = lines.flatMap(line => line.points.map(p => p[1]));
        chart.clear(lines.map(line => `${line.name}: ` + line.points.map(p => `${digits(p[1], 2)} at ${p[0]}`).join(', ')).join('. '));
        const half = (x, round) => round(2 * x) / 2, low = half(Math.min(...losses, ...this.training.models.map(m => m.validation || Infinity)), Math.floor);
        chart.axes({from: lengths[0], to: lengths.at(-1), log: true, ticks: lengths, name: 'bytes in the window'},
            {from: low, to: Math.max(low + 1, half(Math.max(...losses), Math.ceil)), name: 'loss'});
        const [x] = chart.at([context, 1]);
        chart.add('rect', {x, y: chart.frame.top, width: chart.frame.right - x, height: chart.frame.bottom - chart.frame.top, class: 'past'});
        chart.draw(lines.map(line => ({...line, sym: line.name})));
        lines.forEach(line => line.points.forEach(p => chart.mark(p, line.look)));
    },
};
