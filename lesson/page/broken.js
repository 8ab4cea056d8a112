// Section 7: planted mistakes, the reader's guess, what the checks answer, and a wrong sign that trains.

// Groups of tensors for the guess, in the order in which the gradient passes them on its way back.
const GROUPS = [
    ['output', 'the last layer norm', name => name.startsWith('ln_f')],
    ['mlp', 'the feed-forward layers', name => /\.(mlp|ln_2)\./.test(name)],
    ['proj', 'the output of attention', name => name.includes('attn.proj')],
    ['qkv', 'queries, keys and values', name => name.includes('attn.qkv')],
    ['ln_1', 'the layer norm before attention', name => name.includes('ln_1')],
    ['wte', 'the embeddings', name => name === 'wte' || name === 'input embeddings'],
    ['pos', 'parameters of the position scheme', name => name.startsWith('pos.')],
];

const broken = {
    start(root) {
        Object.assign(this, {root, form: root.querySelector('form')});
        this.guesses();
        this.form.addEventListener('submit', event => { event.preventDefault(); this.check(); });
        wrongSign.start(root.querySelector('.wrong'));
        // The worker is made when the reader comes here: it is not needed before.
        new IntersectionObserver((entries, observer) => {
            if (!entries.some(entry => entry.isIntersecting)) return;
            observer.disconnect();
            this.worker = new Bitter.ModelWorker('double');
            this.worker.request('mistakes').then(list => this.offer(list), error => show(root, {error: error.message}));
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
            if (type !== 'checkbox' || !checked) return;
            if (name === 'nothing') for (const [group] of GROUPS) this.form.elements[group].checked = false;
            else nothing.checked = false;
        });
    },

    // list: [{name, sentence, scheme}]
    offer(list) {
        this.list = list;
        this.root.querySelector('.mistakes').append(...list.map(({name, sentence}, i) => {
            const label = document.createElement('label'), radio = document.createElement('input'), word = document.createElement('b');
            Object.assign(radio, {type: 'radio', name: 'mistake', value: name, checked: i === 0});
            word.textContent = name;
            label.append(radio, ' ', word, `: ${sentence}`);
            return label;
        }));
        this.form.querySelector('button').disabled = false;
    },

    async check() {
        const form = this.form, name = form.elements.mistake.value, button = form.querySelector('button');
        const guess = [...GROUPS.map(g => g[0]), 'nothing'].filter(group => form.elements[group].checked);
        if (!guess.length) return show(this.root, {error: 'Tick your guess first; “none” is a guess, too.'});
        show(this.root, {error: ''});
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
        const wrong = GROUPS.filter(([, , belongs]) => tensors.some(t => belongs(t.name) && !t.ok)).map(g => g[0]);
        const right = wrong.length ? wrong.length === guess.length && wrong.every(group => guess.includes(group)) : guess[0] === 'nothing';
        const wordsOf = groups => groups.map(group => GROUPS.find(g => g[0] === group)?.[1] ?? 'none').join(', ');
        const failed = tensors.filter(t => !t.ok).length, noticed = checks.filter(c => c.notices).map(c => c.name);
        const result = this.root.querySelector('.result');
        result.innerHTML = '<h3></h3><p></p><div class="scroll"><table class="checks-table"></table></div><details open><summary></summary><div class="scroll"><table></table></div></details>';
        result.querySelector('h3').textContent = `${name}: ${right ? 'you guessed it' : 'not quite'}`;
        result.querySelector('p').textContent = `Your guess: ${wordsOf(guess)}. Wrong are: ${wordsOf(wrong.length ? wrong : ['nothing'])}. ` +
            (noticed.length ? `Noticed by: ${noticed.join(', ')}.` : 'No check notices it.');
        result.querySelector('summary').textContent = `Tensor by tensor: ${failed} of ${tensors.length} gradients are wrong`;
        const [first, second] = result.querySelectorAll('table');
        this.table(first, ['check', 'compares', 'error', 'tolerance', ''], checks.map(c => c.applies
            ? [c.name, c.tells, scientific(c.error), scientific(c.tolerance), c.notices ? 'NOTICED' : 'ok'] : [c.name, c.tells, '', '', 'does not apply']));
        this.table(second, ['tensor', 'largest relative error', ''], tensors.map(t => [t.name, scientific(t.worst), t.ok ? 'ok' : 'FAILED']));
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

// The same model twice, once with the gradient turned the wrong way.
const wrongSign = {
    STEPS: 400,
    models: [],

    start(root) {
        this.root = root;
        const draw = () => drawLosses(this.chart, this.models, this.STEPS);
        this.redraw = seldom(draw);
        this.chart = new Chart(root.querySelector('.curves'), 320, this.redraw);
        root.querySelector('button').addEventListener('click', () => this.begin());
        draw();
    },

    async begin() {
        for (const model of this.models) model.worker.end();
        const options = trainOptions('--layers 2 --heads 4 --width 64 --context 64', this.STEPS);
        const changed = (model, type) => this.changed(model, type);
        this.models = [new TrainedModel('rope, right sign', 's0', changed), new TrainedModel('rope, wrong sign', 's1', changed)];
        legend(this.root.querySelector('.key'), this.models.map(m => [m.look, m.name]));
        show(this.root, {verdict: 'Training …', 'wrong-error': ''});
        try {
            await Promise.all(this.models.map((model, i) => model.start(`--pos rope ${options}${i ? ' --broken sign' : ''}`, this.STEPS)));
        } catch (error) {
            show(this.root, {'wrong-error': error.message, verdict: ''});
        }
    },

    async changed(model, type) {
        if (type === 'failed') show(this.root, {'wrong-error': model.error});
        if (type === 'done') {
            model.validation = await model.worker.request('validate');
            const [right, wrong] = this.models.map(m => m.validation);
            if (Number.isFinite(right + wrong))
                show(this.root, {verdict: `On unseen text, perplexity ${digits(Math.exp(right), 2)} with the right sign and ${digits(Math.exp(wrong), 2)} with the wrong one. Both models have learned.`});
        }
        this.redraw();
    },
};
