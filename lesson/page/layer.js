// The section on a whole layer: a diagram whose squares are the numbers of one layer at work, forward and backward.

// The tensors that lesson_layer returns (Places in lesson/layer.c): how many numbers each has, of 5 tokens, 8 channels
// and 2 heads.
const PLACES = {token: 40, x: 40, made: 120, qkv: 120, S0: 50, S: 50, P: 50, heads: 40, mid: 40, out: 40};
const WORDS = ['today', 'dog', 'bites', 'man', '.'], ORDERS = [[0, 1, 2, 3, 4], [0, 3, 2, 1, 4]];

// What the diagram shows of them: all that the last query has to do with. `stage` is the step of the forward pass that
// makes it, `place` the place of position schemes where it is. `wide` and `tall` are the corner in the two arrangements of
// the diagram and the side on which the name stands.
const TILES = {
    token: {name: 'embedding', rows: 5, columns: 8, stage: 0, wide: [52, 64, 'top'], tall: [46, 24, 'top']},
    code: {name: '1 code', rows: 5, columns: 8, stage: 1, place: 1, wide: [52, 190, 'top'], tall: [46, 116, 'top']},
    x: {name: 'x', rows: 5, columns: 8, stage: 1, wide: [176, 127, 'top'], tall: [170, 70, 'top']},
    q0: {name: 'q', rows: 1, columns: 8, stage: 2, look: 'query', wide: [302, 64, 'top'], tall: [46, 220, 'top']},
    k0: {name: 'k', rows: 5, columns: 8, stage: 2, look: 'key', wide: [302, 110, 'top'], tall: [46, 258, 'top']},
    v: {name: 'v', rows: 5, columns: 8, stage: 2, wide: [302, 214, 'top'], tall: [46, 438, 'top']},
    q: {name: '2 q', rows: 1, columns: 8, stage: 3, place: 2, look: 'query', wide: [428, 64, 'top'], tall: [170, 220, 'top']},
    k: {name: '2 k', rows: 5, columns: 8, stage: 3, place: 2, look: 'key', wide: [428, 110, 'top'], tall: [170, 258, 'top']},
    S0: {name: 'q · k', rows: 2, columns: 5, stage: 4, wide: [560, 64, 'top'], tall: [8, 362, 'bottom']},
    bias: {name: '3 distance', rows: 2, columns: 5, stage: 5, place: 3, wide: [560, 132, 'top'], tall: [87, 362, 'bottom']},
    content: {name: '4 content', rows: 2, columns: 5, stage: 5, place: 4, wide: [560, 200, 'top'], tall: [170, 362, 'bottom']},
    S: {name: 'score', rows: 2, columns: 5, stage: 5, wide: [664, 132, 'top'], tall: [250, 362, 'bottom']},
    P: {name: 'weight', rows: 2, columns: 5, stage: 6, wide: [758, 132, 'top'], tall: [250, 438, 'left']},
    heads: {name: 'Σ weight · v', rows: 1, columns: 8, stage: 7, wide: [746, 236, 'bottom'], tall: [170, 516, 'left']},
    mid: {name: '+ x', rows: 1, columns: 8, stage: 8, wide: [864, 236, 'right'], tall: [170, 562, 'left']},
    out: {name: '+ MLP', rows: 1, columns: 8, stage: 9, wide: [864, 140, 'top'], tall: [170, 608, 'left']},
};
const SIZES = {wide: {width: 980, height: 316, cell: 11, score: 13}, tall: {width: 328, height: 656, cell: 10, score: 10}};
const LAST = 10; // the step of the loss, from which the way back begins

// Arrows, each with the sides at which it leaves and arrives, in the two arrangements; `via` is a lane that it takes. In
// the tall one, signs between the tiles stand for some.
const ARROWS = [
    {from: 'token', to: 'x', wide: 'right left', tall: 'right left'},
    {from: 'code', to: 'x', wide: 'right left', tall: 'right left'},
    {from: 'x', to: 'q0', wide: 'right left', tall: 'bottom left', via: {tall: [[210, 192], [20, 192], [20, 225]]}},
    {from: 'x', to: 'k0', wide: 'right left', tall: 'bottom left', via: {tall: [[210, 192], [20, 192], [20, 283]]}},
    {from: 'x', to: 'v', wide: 'right left', tall: 'bottom left', via: {tall: [[210, 192], [0, 192], [0, 463]]}},
    {from: 'q0', to: 'q', wide: 'right left', tall: 'right left'},
    {from: 'k0', to: 'k', wide: 'right left', tall: 'right left'},
    {from: 'q', to: 'S0', wide: 'right left'},
    {from: 'k', to: 'S0', wide: 'right left', tall: 'bottom top', via: {tall: [[210, 336], [33, 336]]}},
    {from: 'S0', to: 'S', wide: 'right left'},
    {from: 'bias', to: 'S', wide: 'right left'},
    {from: 'content', to: 'S', wide: 'right left'},
    {from: 'x', to: 'content', wide: 'bottom bottom', tall: 'right top', via: {wide: [[220, 280], [592.5, 280]], tall: [[264, 95], [264, 346], [195, 346]]}},
    {from: 'S', to: 'P', wide: 'right left', tall: 'right right', via: {tall: [[312, 372], [312, 448]]}},
    {from: 'P', to: 'heads', wide: 'bottom top', tall: 'bottom right', via: {tall: [[275, 521]]}},
    {from: 'v', to: 'heads', wide: 'right left', tall: 'right top', via: {tall: [[210, 463]]}},
    {from: 'heads', to: 'mid', wide: 'right left', tall: 'bottom top'},
    {from: 'x', to: 'mid', wide: 'bottom bottom', tall: 'right right', via: {wide: [[220, 296], [908, 296]], tall: [[324, 95], [324, 567]]}},
    {from: 'mid', to: 'out', wide: 'top bottom', tall: 'bottom top'},
];
const SIGNS = [[67, '+'], [153, '+'], [240, '=']]; // between S0, both biases and S

// What happens in each step: its name; forward, how the numbers that it makes come from those before; backward, how their
// gradients come from those behind; and the tiles whose numbers are shown. Symbols in braces light their tiles.
const STEPS = [
    ['embeddings', '{token}: each word’s own numbers', '{token:dtoken} = {x:dx}: a sum passes its gradient on unchanged', ['token']],
    ['x, after place 1', '{x} = {token} + {code}(t)', '{x:dx} += Wᵀ ({q0:dq}, {k0:dk}, {v:dv}), back through the norm;  {code:dcode} = {x:dx}', ['code', 'x']],
    ['q, k and v', '({q0:q}, {k0:k}, {v}) = W norm({x})', 'back through place 2:  {q0:dq} ← R(−tθ) {q:dq},  {k0:dk} ← R(−tθ) {k:dk};  {v:dv} = Σ {P} {heads:dheads}', ['q0', 'k0', 'v']],
    ['q and k, after place 2', '{q} ← R(tθ) {q0:q},  {k} ← R(tθ) {k0:k}', '{q:dq} += {S0:dS} {k} / √d,  {k:dk} += {S0:dS} {q} / √d', ['q', 'k']],
    ['products', '{S0:S} = {q} · {k} / √d', '{S0:dS} = {S:dS}: a sum passes its gradient on unchanged', ['S0']],
    ['score, after places 3 and 4', '{S} ← {S0:S} + {bias}', '{S:dS} = {P} ({P:dP} − Σ {P} {P:dP});  {bias:dbias} = {S:dS}', ['bias', 'content', 'S']],
    ['softmax', '{P} = softmax({S})', '{P:dP} = {heads:dheads} · {v}', ['P']],
    ['weighted sum', '{heads} = Σ {P} {v}', '{heads:dheads} = Wᵀ {mid:dx};  {mid:dx} also goes straight back to {x}', ['heads']],
    ['residual stream', '{mid:x} ← {x} + W {heads}', '{mid:dx} += what comes back through the MLP', ['mid']],
    ['MLP', '{out:x} ← {mid:x} + MLP(norm({mid:x}))', '{out:dx}, from the loss through the last norm', ['out']],
    ['loss', '{loss} = −ln p(next word | {out:x})', '', []],
];
// Tiles whose symbol in these formulas is not their key.
const SYMBOLS = {q0: 'q', k0: 'k', S0: 'S', content: 'bias', mid: 'x', out: 'x'};
// What is said instead where no scheme turns pairs.
const UNTURNED = {forward: {3: 'place 2 does nothing here: {q} and {k} stay as they are'}, backward: {2: 'back through place 2: nothing turns;  {v:dv} = Σ {P} {heads:dheads}'}};

// One run of the layer: {values, gradients} by tile, rows of numbers; and the loss.
function runLayer(numbers, scheme, order, place) {
    const count = Object.values(PLACES).reduce((a, b) => a + b);
    numbers.module.text = scheme;
    const all = numbers.fill('lesson_layer', 2 * count + 1, [...order, 0]);
    numbers.module.succeed(all.returned);
    return {values: tilesOf(all.slice(0, count), place, false), gradients: tilesOf(all.slice(count, 2 * count), place, true), loss: all[2 * count]};
}

function tilesOf(all, place, gradient) {
    const y = {};
    let at = 0;
    for (const [name, count] of Object.entries(PLACES)) y[name] = all.slice(at, at += count);
    const rows = (numbers, from, stride) => Array.from({length: 5}, (_, t) => numbers.slice(t * stride + from, t * stride + from + 8));
    const last = (numbers, from = 0, stride = 8) => [rows(numbers, from, stride)[4]];
    const heads = numbers => [numbers.slice(20, 25), numbers.slice(45, 50)]; // the last query's row of each head
    const less = (a, b) => a.map((row, r) => row.map((value, c) => value - b[r][c])), none = a => a.map(row => row.map(() => 0));
    const token = rows(y.token, 0, 8), x = rows(y.x, 0, 8), S0 = heads(y.S0), S = heads(y.S);
    // What a sum added is its difference; and the gradient of what was added is that of the sum.
    const code = gradient ? x : less(x, token), bias = gradient ? S : less(S, S0);
    return {
        token, x, S0, S, code: place === 1 ? code : none(x), bias: place === 3 ? bias : none(S), content: place === 4 ? bias : none(S),
        q0: last(y.made, 0, 24), k0: rows(y.made, 8, 24), v: rows(y.qkv, 16, 24), q: last(y.qkv, 0, 24), k: rows(y.qkv, 8, 24),
        P: heads(y.P), heads: last(y.heads), mid: last(y.mid), out: last(y.out),
    };
}

// Of each number of a tile, whether it differs from that of the same word in another run. Rows or columns are words.
function differing(name, here, there, order) {
    const {rows} = TILES[name], size = Math.max(...here.flat().map(Math.abs), 1e-12);
    return here.map((row, r) => row.map((value, c) => {
        const other = rows === 5 ? there[order[r]][c] : rows === 2 ? there[r][order[c]] : there[r][c];
        return Math.abs(value - other) > 1e-9 * size;
    }));
}

class Diagram extends WidePicture {
    constructor(svg, resized, chosen) {
        super(svg, 300, resized);
        // The tall form has a largest width of its own, so a page that grows does not change that of the picture.
        new ResizeObserver(() => { if (this.kind && this.kind !== this.fitting()) resized(); }).observe(svg.parentElement);
        svg.addEventListener('click', event => {
            const name = event.target.closest('[data-tile]')?.dataset.tile;
            if (name) chosen(TILES[name].stage);
        });
    }

    fitting() {
        return this.svg.parentElement.clientWidth >= SIZES.wide.width ? 'wide' : 'tall';
    }

    begin(words) {
        this.kind = this.fitting();
        this.size = SIZES[this.kind];
        this.left = 4;
        this.svg.classList.toggle('tall', this.kind === 'tall'); // which is drawn larger where there is room
        this.svg.setAttribute('viewBox', `0 0 ${this.size.width + 2 * this.left} ${this.size.height}`);
        this.clear(words);
    }

    // x, y, width, height and the size of a square.
    box(name) {
        const {rows, columns} = TILES[name], [x, y] = TILES[name][this.kind], cell = columns === 5 ? this.size.score : this.size.cell;
        return {x: x + this.left, y, width: columns * cell, height: rows * cell, cell};
    }

    side(name, side) {
        const {x, y, width, height} = this.box(name);
        if (side === 'left' || side === 'right') return [side === 'left' ? x - 3 : x + width + 3, y + height / 2];
        return [x + width / 2, side === 'top' ? y - 3 : y + height + 3];
    }

    points({from, to, via, ...sides}) {
        const [leave, arrive] = sides[this.kind].split(' '), a = this.side(from, leave), b = this.side(to, arrive);
        const lane = via?.[this.kind]?.map(([x, y]) => [x + this.left, y]);
        const level = leave === 'right' && arrive === 'left', middle = b[0] - 16;
        return [a, ...lane ?? (level && Math.abs(a[1] - b[1]) > 1 ? [[middle, a[1]], [middle, b[1]]] : []), b];
    }

    // way: 'forward', 'backward', or '' for an arrow along which nothing has come yet.
    connect(arrow, way) {
        const points = this.points(arrow), ends = way === 'backward' ? points.reverse() : points;
        const tip = ends.at(-1), before = ends.at(-2);
        this.path(points, `wire ${way}`);
        const angle = Math.atan2(tip[1] - before[1], tip[0] - before[0]);
        const corner = side => [tip[0] - 8 * Math.cos(angle + side), tip[1] - 8 * Math.sin(angle + side)];
        this.path([tip, corner(0.45), corner(-0.45), tip], `wire-head ${way}`);
    }

    // A place of position schemes: the frame around its tiles, in the hue of the scheme that works there.
    place(names, lit) {
        const boxes = names.map(name => this.box(name)), x = Math.min(...boxes.map(b => b.x)), y = Math.min(...boxes.map(b => b.y));
        const right = Math.max(...boxes.map(b => b.x + b.width)), bottom = Math.max(...boxes.map(b => b.y + b.height));
        const [above, aside] = TILES[names[0]][this.kind][2] === 'top' ? [24, 7] : [7, 10];
        this.add('rect', {x: x - aside, y: y - above, width: right - x + 2 * aside, height: bottom - y + 31, rx: 7, class: lit ? `place lit ${lit}` : 'place'});
    }

    // Squares whose areas are the sizes of the numbers; negative ones are hollow, changed ones framed.
    tile(name, rows, look, reached, changed) {
        const {x, y, width, height, cell} = this.box(name), [, , side] = TILES[name][this.kind];
        const size = Math.max(...rows.flat().map(Math.abs)), lit = symbols.lit(this.svg) === name;
        const group = this.add('g', {'data-tile': name, 'data-sym': name, class: `tile ${look}${reached ? '' : ' waiting'}${lit ? ' lit' : ''}`});
        group.append(element('rect', {x: x - 1, y: y - 1, width: width + 2, height: height + 2, class: 'ground'}));
        rows.forEach((row, r) => row.forEach((value, c) => {
            const full = cell - 1.5, edge = size > 0 ? full * Math.sqrt(Math.abs(value) / size) : 0, hollow = value < 0;
            const middle = [x + (c + 0.5) * cell, y + (r + 0.5) * cell], inner = Math.max(0, edge - (hollow ? 1.2 : 0));
            if (edge > 0.6) group.append(element('rect', {x: middle[0] - inner / 2, y: middle[1] - inner / 2, width: inner, height: inner, class: hollow ? 'minus' : 'plus'}));
            if (changed?.[r][c] && reached) group.append(element('rect', {x: x + c * cell, y: y + r * cell, width: cell, height: cell, class: 'changed'}));
        }));
        const places = {top: [x + width / 2, y - 9, 'middle'], bottom: [x + width / 2, y + height + 16, 'middle'],
            left: [x - 8, y + height / 2 + 4, 'end'], right: [x + width + 8, y + height / 2 + 4, '']};
        const [tx, ty, anchor] = places[side];
        group.append(element('text', {x: tx, y: ty, class: `tick ${anchor}`}, TILES[name].name));
    }
}

const layer = {
    start(root, numbers) {
        Object.assign(this, {root, numbers, runs: {}});
        this.diagram = new Diagram(root.querySelector('.diagram'), () => this.controls.update(), stage => this.controls.set({step: this.back ? 2 * LAST - stage : stage}));
        this.controls = new Controls(root.querySelector('form'), values => this.draw(values));
        const button = root.querySelector('[name=play]');
        // The page begins with the forward pass done; who plays wants to see it from its beginning.
        button.addEventListener('click', () => { if (this.controls.values.step === LAST) this.controls.set({step: 0}); }, {once: true});
        play(button, () => {
            const {step} = this.controls.values;
            this.controls.set({step: step < 2 * LAST ? step + 1 : 0});
            return step + 1 === 2 * LAST;
        }, 420);
        ask(root.querySelector('.swap'), () => this.show({scheme: 'none', swapped: true, step: LAST}));
        ask(root.querySelector('.gradient'), () => this.show({scheme: 'rope', swapped: false, step: 2 * LAST - 2}));
        this.controls.update();
    },

    // Sets the controls as a reader would.
    show({scheme, swapped, step}) {
        const {elements} = this.controls.form;
        elements.scheme.value = scheme;
        elements.swapped.checked = swapped;
        this.controls.set({step});
    },

    // The run of a scheme with the words in one of both orders; they are few, so each is computed once.
    run(scheme, place, swapped) {
        return this.runs[`${scheme} ${swapped}`] ??= runLayer(this.numbers, scheme, ORDERS[+swapped], place);
    },

    // What is chosen: the scheme as the program takes it, the place where it enters, its hue. "yours" is the formula of the
    // section on a scheme of one's own.
    chosen() {
        const {value, dataset: {place, hue}} = this.controls.form.querySelector('input:checked');
        if (value !== 'yours') return {scheme: value, place: +place, hue};
        return {scheme: `{${own.formula.text}}`, place: {code: 1, angle: 2, bias: 3}[own.formula.shape.form], hue};
    },

    draw({step, swapped}) {
        const {scheme, place, hue} = this.chosen(), back = step > LAST, front = back ? 2 * LAST - step : step;
        const order = ORDERS[+swapped];
        let run, plain;
        try {
            [run, plain] = [this.run(scheme, place, swapped), this.run(scheme, place, false)];
        } catch (error) { // a formula need not be finite with so few heads and tokens
            this.root.classList.add('stale');
            return show(this.root, {swap: `Your formula does not work with so few words: ${error.message.replace(/^--pos: /, '')}`});
        }
        this.root.classList.remove('stale');
        const changed = Object.fromEntries(Object.keys(TILES).map(name => [name, differing(name, run.values[name], plain.values[name], order)]));
        this.back = back;
        this.diagram.begin(`A layer at work on the words ${order.map(w => WORDS[w]).join(' ')}, with ${scheme.startsWith('{') ? 'your own scheme' : scheme.split(':')[0]}. ` +
            `The loss is ${digits(run.loss, 3)}. ${back ? 'Backward' : 'Forward'} step: ${STEPS[front][0]}. ${symbols.plain(this.numbersOf(run, back, front))}`);
        this.drawAll(run, {back, front, place, hue, changed, order});
        const told = back ? 'backward' : 'forward', words = (place !== 2 && UNTURNED[told][front]) || STEPS[front][back ? 2 : 1];
        show(this.root, {
            way: `${told}: ${STEPS[front][0]}`, step: `${step} of ${2 * LAST}`, title: `${STEPS[front][0]}:`, swap: swapped ? this.swapWords(changed, run, plain) : '',
        });
        const look = (name, text) => text.startsWith('d') ? 'backward' : TILES[name]?.look ?? 'forward';
        const formula = (place === 4 ? words.replaceAll('{bias}', '{content:bias}').replaceAll('{bias:', '{content:') : words) + (front === LAST ? ` = ${digits(run.loss, 6)}` : '');
        symbols.write(this.root.querySelector('[data-show=formula]'), formula, look);
        symbols.write(this.root.querySelector('[data-show=numbers]'), this.numbersOf(run, back, front), look);
        this.root.querySelector('.numbers').classList.toggle('backward', back);
    },

    drawAll(run, {back, front, place, hue, changed, order}) {
        const {diagram} = this, lit = number => number === place ? hue : '';
        diagram.place(['code'], lit(1));
        diagram.place(['q', 'k'], lit(2));
        diagram.place(['bias'], lit(3));
        diagram.place(['content'], lit(4));
        // Along some, nothing goes where no scheme works. They lie under the others.
        const idle = ({from, to}) => (from === 'code' && place !== 1) || (from === 'bias' && place !== 3) || ((from === 'content' || to === 'content') && place !== 4);
        const way = arrow => idle(arrow) ? '' : back && TILES[arrow.from].stage >= front ? 'backward' : TILES[arrow.to].stage <= front || back ? 'forward' : '';
        const arrows = ARROWS.filter(arrow => arrow[diagram.kind]).sort((a, b) => idle(b) - idle(a));
        for (const arrow of arrows) diagram.connect(arrow, way(arrow));
        for (const [name, {stage, look = 'forward'}] of Object.entries(TILES)) {
            const came = back && stage >= front;
            diagram.tile(name, (came ? run.gradients : run.values)[name], came ? 'backward' : look, stage <= front || back, came ? null : changed[name]);
        }
        const wide = diagram.kind === 'wide', words = diagram.box('token'), out = diagram.box('out');
        order.forEach((word, t) => diagram.text([words.x - 7, words.y + (t + 0.5) * words.cell + 4], WORDS[word].replace('.', '(stop)'), `word end${word === 1 || word === 3 ? ' strong' : ''}`));
        if (front === LAST || back) diagram.symbol('loss', () => diagram.text(wide ? [out.x + out.width / 2, out.y - 30] : [out.x + out.width / 2, out.y + out.height + 26],
            `loss ${digits(run.loss, 3)}`, 'middle strong'));
        if (wide) diagram.text([diagram.left + 228, 311], 'residual stream', 'tick');
        else for (const [x, sign] of SIGNS) diagram.text([diagram.left + x, 376], sign, 'middle strong');
    },

    // The full stop's numbers in this step, with symbols in braces.
    numbersOf(run, back, front) {
        const prefix = back ? 'd' : '', line = name => {
            const tile = (back ? run.gradients : run.values)[name], numbers = tile.at(TILES[name].rows === 2 ? 0 : -1);
            return numbers.every(value => value === 0) ? '' : `{${name}:${prefix}${SYMBOLS[name] ?? name}}${TILES[name].rows === 2 ? ', head 0' : ''}: ${numbers.map(value => digits(value, back ? 3 : 2)).join('  ')}`;
        };
        return STEPS[front][3].map(line).filter(Boolean).join('\n');
    },

    // Where the order of the words is noticed first, and how much of it arrives.
    swapWords(changed, run, plain) {
        const first = Object.keys(TILES).filter(name => changed[name].flat().some(Boolean)).sort((a, b) => TILES[a].stage - TILES[b].stage)[0];
        const apart = Math.max(...run.values.out[0].map((value, c) => Math.abs(value - plain.values.out[0][c])));
        const said = first ? `Swapped: the first numbers to change are those of “${TILES[first].name}”. The layer’s output changes by up to ${digits(apart, 3)}. Loss`
            : 'Swapped: no number that the full stop reads has changed. Loss without positions';
        return `${said}: ${digits(plain.loss, 6)} before the swap, ${digits(run.loss, 6)} after.`;
    },
};
