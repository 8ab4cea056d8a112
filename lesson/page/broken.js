// The section on mistakes: planted mistakes, the reader's guess, what the checks answer, and a wrong sign that trains.

// Groups of tensors for the guess, in the order in which the gradient passes them on its way back.
const GROUPS = [
    ['output', 'the last layer norm', /^ln_f/],
    ['behind1', 'layer 1, after its attention (nearer the output)', /^h\.1\.(mlp|ln_2|attn\.proj)/],
    ['before1', 'layer 1, queries, keys, values', /^h\.1\.(ln_1|attn\.qkv)/],
    ['behind0', 'layer 0, after its attention (nearer the output)', /^h\.0\.(mlp|ln_2|attn\.proj)/],
    ['before0', 'layer 0, queries, keys, values', /^h\.0\.(ln_1|attn\.qkv)/],
    ['wte', 'the embeddings', /^(wte|input embeddings)/],
    ['pos', 'the position scheme’s own parameters', /^pos\./],
];

// Why the checks answer as they do.
const REASONS = {
    sign: 'The backward pass no longer matches the forward pass. Everything the gradient reaches through a rotation is wrong: queries ' +
        'and keys of the last layer, and everything before them. What comes after the last rotation is right.',
    values: 'Values are turned and their gradients turned back, so every gradient is right. But now the output depends on where ' +
        'the sentence stands, not only on distances: a shift shows it.',
    pairing: 'Training on its own is right, and so is use on its own; together they are wrong. This happens when weights move from one program to ' +
        'another. Only a comparison of training and use shows the mistake.',
    exponent: 'This is a different model, and its gradients are right. Nothing within the program shows the mistake; only a comparison with the paper’s formula does.',
    bias: 'This is a different model, too: what ALiBi subtracts from a score is too small by a constant factor, and the gradients match that. Only a comparison with the paper’s formula shows it.',
    cache: 'Training has no cache, so everything in training is right. Feeding the tokens one by one shows the mistake.',
    dropped: 'One term of one sum is missing. The gradient check names the tensor; all others are right.',
};

const broken = {
    // list: [{name, sentence, scheme}]
    start(root, list) {
        Object.assign(this, {root: root.querySelector('.planted'), list, form: root.querySelector('.planted form')});
        this.offer();
        this.guesses();
        this.form.addEventListener('submit', event => { event.preventDefault(); this.check(); });
        wrongSign.start(root.querySelector('.wrong'));
        // The worker is made when the reader comes here: it is not needed before.
        new IntersectionObserver((entries, observer) => {
            if (!entries.some(entry => entry.isIntersecting)) return;
            observer.disconnect();
            this.worker ??= new Bitter.ModelWorker('double');
        }, {rootMargin: '600px'}).observe(root);
    },

    guesses() {
        const boxes = [...GROUPS, ['nothing', 'none: all gradients are right']].map(([name, words]) => {
            const label = document.createElement('label'), box = document.createElement('input');
            Object.assign(box, {type: 'checkbox', name});
            label.append(box, ' ' + words);
            return label;
        });
        this.root.querySelector('.guess').append(...boxes);
        this.form.addEventListener('input', event => {
            const {nothing} = this.form.elements, {name, type, checked} = event.target;
            if (type === 'radio') for (const box of this.form.querySelectorAll('[type=checkbox]')) box.checked = false; // another mistake, another guess
            if (type !== 'checkbox' || !checked) return;
            if (name === 'nothing') for (const [group] of GROUPS) this.form.elements[group].checked = false;
            else nothing.checked = false;
        });
    },

    offer() {
        this.root.querySelector('.mistakes').append(...this.list.map(({name, sentence, scheme}, i) => {
            const label = document.createElement('label'), radio = document.createElement('input'), word = document.createElement('b');
            Object.assign(radio, {type: 'radio', name: 'mistake', value: name, checked: i === 0});
            word.textContent = name;
            label.append(radio, ' ', word, ` (${scheme}): ${sentence.replace('sqrt(d)', '√d')}`);
            return label;
        }));
        this.form.querySelector('button').disabled = false;
    },

    async check() {
        const form = this.form, name = form.elements.mistake.value, button = form.querySelector('button');
        const guess = [...GROUPS.map(g => g[0]), 'nothing'].filter(group => form.elements[group].checked);
        if (!guess.length) return show(this.root, {error: 'Tick your guess first; “none” is a guess, too.'});
        show(this.root, {error: ''});
        this.worker ??= new Bitter.ModelWorker('double');
        button.disabled = true;
        button.textContent = 'Checking …';
        try {
            const tensors = await this.worker.request('gradcheck', {scheme: `${this.list.find(m => m.name === name).scheme} broken=${name}`});
            const checks = await this.worker.request('checks', {mistake: name});
            this.answer(name, guess, tensors, checks);
        } catch (error) {
            show(this.root, {error: error.message});
        }
        button.disabled = false;
        button.textContent = 'Check';
    },

    answer(name, guess, tensors, checks) {
        const wrong = GROUPS.filter(([, , names]) => tensors.some(t => names.test(t.name) && !t.ok)).map(g => g[0]);
        const right = wrong.length ? wrong.length === guess.length && wrong.every(group => guess.includes(group)) : guess[0] === 'nothing';
        const wordsOf = groups => groups.map(group => GROUPS.find(g => g[0] === group)?.[1] ?? 'none').join('; ');
        const failed = tensors.filter(t => !t.ok).length, noticed = checks.filter(c => c.notices).map(c => c.name);
        const result = this.root.querySelector('.result');
        result.innerHTML = '<h3></h3><p></p><figure><svg class="row"></svg><figcaption>The gradient comes from the output, on the left, through layer 1, ' +
            'then layer 0, to the <a class="word" href="#word-embedding">embeddings</a>. A square is a tensor; a filled one with a cross has a wrong gradient.</figcaption></figure><p></p>' +
            '<div class="scroll"><table class="checks-table"></table></div><details><summary></summary><div class="scroll"><table></table></div></details>';
        result.querySelectorAll('.scroll').forEach(scrollable);
        result.querySelector('h3').textContent = `${name}: ${right ? 'you guessed it' : 'not quite'}`;
        const [said, why] = result.querySelectorAll('p');
        why.textContent = REASONS[name] ?? '';
        said.textContent = `Your guess: ${wordsOf(guess)}. ${wrong.length ? `The gradient check finds these wrong: ${wordsOf(wrong)}.` : 'The gradient check finds all gradients right.'} ` +
            (noticed.length ? `Noticed by: ${noticed.join(', ')}.` : 'No check notices it.');
        result.querySelector('summary').textContent = `Tensor by tensor: ${failed} of ${tensors.length} gradients ${failed === 1 ? 'is' : 'are'} wrong`;
        const [first, second] = result.querySelectorAll('table');
        this.table(first, ['check', '', 'error', 'tolerance', 'compares'], checks.map(c => c.applies
            ? [c.name, c.notices ? 'NOTICED' : 'ok', scientific(c.error), scientific(c.tolerance), c.tells] : [c.name, 'does not apply', '', '', c.tells]));
        const place = t => GROUPS.findIndex(([, , names]) => names.test(t.name));
        const onTheWay = [...tensors].sort((a, b) => place(a) - place(b)); // from the output back to the embeddings
        const row = new WidePicture(result.querySelector('.row'), 46, () => this.drawRow(row, onTheWay));
        this.drawRow(row, onTheWay);
        this.table(second, ['tensor', '', 'largest relative error'], onTheWay.map(t => [t.name, t.ok ? 'ok' : 'FAILED', scientific(t.worst)]));
    },

    // One square for each tensor, in the order in which the gradient comes to them: one sees where it breaks.
    drawRow(row, tensors) {
        const cell = Math.min(30, row.width / tensors.length), side = 0.72 * cell, edge = 0.2 * side;
        row.clear(`The gradients of ${tensors.length} tensors in a row, from the output to the embeddings. ` +
            (tensors.every(t => t.ok) ? 'All are right.' : `Wrong: ${tensors.filter(t => !t.ok).map(t => t.name).join(', ')}.`));
        tensors.forEach(({name, ok}, i) => {
            const x = (i + 0.14) * cell, y = 2, [left, right, top, bottom] = [x + edge, x + side - edge, y + edge, y + side - edge];
            row.add('rect', {x, y, width: side, height: side, class: ok ? 'tensor' : 'tensor wrong'}, element('title', {}, name));
            if (ok) return;
            row.line([left, top], [right, bottom], 'cross');
            row.line([right, top], [left, bottom], 'cross');
        });
        row.text([0, 42], 'output', 'tick');
        row.text([tensors.length * cell, 42], 'embeddings', 'tick end');
    },

    table(table, heads, rows) {
        const cell = (row, kind, text) => {
            const made = document.createElement(kind);
            made.textContent = text;
            if (text === 'ok') made.className = 'ok';
            if (text === 'FAILED' || text === 'NOTICED') made.className = 'failed';
            row.append(made);
        };
        const head = table.createTHead().insertRow(), body = table.createTBody();
        heads.forEach(text => cell(head, 'th', text));
        for (const texts of rows) {
            const row = body.insertRow();
            texts.forEach((text, i) => cell(row, i ? 'td' : 'th', text));
        }
    },
};

// The same model three times: with the right sign, with the gradient turned the wrong way, without positions.
const wrongSign = {
    STEPS: 400,
    KINDS: [['rope, right sign', '--pos rope', 'scheme-rope'], ['rope, wrong sign', '--pos rope --broken sign', 'scheme-rope dash2'],
        ['none', '--pos none', 'scheme-none']],
    models: [],

    options() {
        return trainOptions('--layers 2 --heads 4 --width 64 --context 64', this.STEPS);
    },

    start(root) {
        this.root = root;
        this.redraw = seldom(() => this.draw());
        this.chart = new Chart(root.querySelector('.curves'), 320, this.redraw);
        root.querySelector('button[name=both]').addEventListener('click', () => this.begin());
        show(root, {recorded: this.KINDS.map(([name]) => `${name} ${digits(Math.exp(RECORDED.wrong[name].validation), 1)}`).join('; ')});
        unroll(root.querySelector('.ask'), 0, this.STEPS, steps => { this.upTo = steps; this.draw(); });
        this.draw();
    },

    upTo: 0, // steps of the recorded curve of the wrong sign that are shown

    // What was recorded, of the wrong sign only after the guess; nothing once the reader trains.
    draw() {
        const shown = this.models.length ? [] : this.KINDS.map(([name, , look], i) =>
            ({name, look, points: recordedPoints(RECORDED.wrong[name], i === 1 ? this.upTo : this.STEPS)})).filter(run => run.points.length);
        drawLosses(this.chart, this.models, this.STEPS, shown);
        legend(this.root.querySelector('.key'), [...shown.map(run => [`${run.look} recorded`, `${run.name}, recorded`, run.name]), ...this.models.map(m => [m.look, m.name, m.name])]);
    },

    async begin() {
        for (const model of this.models) model.end();
        const options = this.options();
        const changed = (model, type) => this.changed(model, type);
        this.models = this.KINDS.map(([name, , look]) => new TrainedModel(name, look, changed));
        this.draw();
        this.root.querySelector('.many').replaceChildren();
        show(this.root, {verdict: 'Training …', 'wrong-error': ''});
        try {
            await Promise.all(this.models.map((model, i) => model.start(`${this.KINDS[i][1]} ${options}`, this.STEPS)));
        } catch (error) {
            show(this.root, {'wrong-error': error.message, verdict: ''});
        }
    },

    async changed(model, type) {
        if (type === 'failed') show(this.root, {'wrong-error': model.error});
        if (type === 'done') {
            await model.validate();
            const perplexities = this.models.map(m => Math.exp(m.validation));
            if (perplexities.every(Number.isFinite)) {
                await this.write(this.root.querySelector('.many'), 'Once upon a time');
                show(this.root, {verdict: 'Perplexity on unseen text: ' + this.models.map((m, i) => `${m.name} ${digits(perplexities[i], 2)}`).join('; ') + '.'});
            }
        }
        this.redraw();
    },

    async write(boxes, prompt) {
        const texts = await Promise.all(this.models.map(m => m.worker.request('sample', {prompt, tokens: 150})));
        boxes.replaceChildren();
        texts.forEach((text, i) => inside.paragraph(inside.box(boxes, this.models[i].name), prompt + text, 'sample'));
    },
};
