// The section on distance: the score of a query and a key depends on their distance alone, first in one pair, then in
// many, and a stretch slows the clocks.
const distance = {
    start(root, c) {
        this.couple(root.querySelector('.couple'), c);
        this.many(root.querySelector('.crowd'), c);
        this.stretch(root.querySelector('.stretching'), c);
    },

    // One pair: query and key in one plane, turned by their positions, and below them the line of positions.
    couple(root, c) {
        const TURN = 15, THETA = TURN * Math.PI / 180, LAST = 40, again = () => controls.update();
        const plane = new Plane(root.querySelector('.plane'), 1.3, again), line = new WidePicture(root.querySelector('.line'), 96, again);
        const controls = new Controls(root.querySelector('form'), draw);
        ask(root.querySelector('.ask'), () => glide(controls, 'both', 15));

        function draw({m, n, both}) {
            const query = m + both, key = n + both;
            const score = c.value('picture_score', [1, 0], [1, 0], [1 / THETA], 2, 1, query, key); // one pair, THETA a token
            drawPlane(query, key, score, both);
            drawLine(query, key);
            show(root, {m: digits(query, 0), n: digits(key, 0), apart: digits(query - key, 0),
                angle: `${digits((query - key) * TURN, 0)}°`, score: digits(score, 6)});
        }

        function drawPlane(m, n, score, both) {
            const q = c.forward([1, 0], m * THETA), k = c.forward([1, 0], n * THETA), shadow = k.map(x => x * score);
            const between = (m - n) * THETA, middle = n * THETA + between / 2, reach = Math.abs(between) < 0.6 ? 0.62 : 0.5;
            plane.clear(`Query and key as arrows of length 1. The angle from the key to the query is ${digits(inDegrees(between), 0)} degrees. ` +
                `The shadow of the query on the line of the key, their score, is ${digits(score, 3)} long.`);
            if (both) drawBefore(q, k, both * THETA);
            plane.line(plane.at(q), plane.at(shadow), 'drop');
            plane.vector(k, 'k', 'key');
            plane.vector(q, 'q', 'query');
            const aside = Math.sign(Math.sin(between)) || 1, below = [(shadow[0] + aside * k[1] * 0.4) / 2, (shadow[1] - aside * k[0] * 0.4) / 2];
            plane.symbol('score', () => {
                plane.line(plane.at([0, 0]), plane.at(shadow), 'shadow');
                plane.text(plane.at(below), 'score', 'angle middle');
            });
            const [x, y] = plane.at([reach * Math.cos(middle), reach * Math.sin(middle)]);
            plane.symbol('angle', () => {
                plane.arc(n * THETA, between, 0.34, 'between');
                plane.text([x, y + 5], `${digits(inDegrees(between), 0)}°`, 'angle middle');
            });
            plane.handle('key', plane.at(k), turned('n'));
            plane.handle('query', plane.at(q), turned('m'));
        }

        // The pair as it was before both shifted: the same figure, not yet turned.
        function drawBefore(q, k, turn) {
            for (const [arrow, look] of [[k, 'key'], [q, 'query']]) plane.arrow(plane.at([0, 0]), plane.at(c.backward(arrow, turn)), `${look} faint`);
        }

        // The token at which the arrow points to this pixel, of those nearest to where it stands.
        function turned(name) {
            return pixel => {
                const v = controls.values, on = turnTo(plane, pixel, (v[name] + v.both) * THETA);
                controls.set({[name]: v[name] + Math.round(on / THETA)});
            };
        }

        function drawLine(m, n) {
            const left = 24, right = line.width - 24, y = 46, x = t => left + t * (right - left) / LAST;
            const position = pixel => (pixel[0] - left) * LAST / (right - left), ahead = n > m;
            line.clear(`A line of positions with the query at ${digits(m, 0)} and the key at ${digits(n, 0)}, ${digits(Math.abs(m - n), 0)} apart.` +
                (ahead ? ' A model that writes never looks ahead.' : ''));
            line.line([left, y], [right, y], 'axis');
            for (let t = 0; t <= LAST; t += 10) {
                line.line([x(t), y - 4], [x(t), y + 4], 'axis');
                line.text([x(t), y + 22], String(t), 'tick middle');
            }
            const edge = ahead ? 'bracket ahead' : 'bracket', low = y + 34, words = 'a model that writes never looks ahead';
            line.path([[x(n), y + 12], [x(n), low], [x(m), low], [x(m), y + 12]], edge);
            if (ahead) line.text([Math.max(130, Math.min(right - 106, x((m + n) / 2))), line.height - 6], words, 'ahead middle');
            const label = (t, text, look, height) => {
                line.add('circle', {cx: x(t), cy: y, r: 9, class: `token ${look}`});
                line.text([Math.max(36, Math.min(right - 10, x(t))), height], text, `name ${look}`);
            };
            const close = Math.abs(x(m) - x(n)) < 62;
            label(m, 'query', 'query', 30);
            label(n, 'key', 'key', close ? 14 : 30);
            line.handle('both', [x((m + n) / 2), low], pixel => {
                const v = controls.values;
                controls.set({both: Math.round(position(pixel) - (v.m + v.n) / 2)});
            });
            line.handle('query', [x(m), y], pixel => controls.set({m: Math.round(position(pixel)) - controls.values.both}));
            line.handle('key', [x(n), y], pixel => controls.set({n: Math.round(position(pixel)) - controls.values.both}));
        }

        controls.update();
    },

    // Many pairs: a clock for each, with what it adds to the score, and the score by distance.
    many(root, c) {
        const {PAIRS, FARTHEST} = this, NO_STRETCH = Array(PAIRS).fill(1), again = () => controls.update();
        const faces = new PairClocks(root.querySelector('.pairs'), 110, again), chart = new Chart(root.querySelector('.chart'), 260, again, 200);
        const controls = new Controls(root.querySelector('form'), draw);
        faces.pressed(i => {
            const box = controls.form.elements[`pair${i}`];
            box.checked = !box.checked;
            controls.update();
        });
        let farthest = 3; // how far the reader has been: the curve is drawn up to there
        ask(root.querySelector('.ask'), () => glide(controls, 'distance', FARTHEST, 6));

        function draw(v) {
            const base = 10 ** v.base, used = NO_STRETCH.map((_, i) => v[`pair${i}`]), distance = Math.round(v.distance);
            const vector = used.map(on => [on ? 1 : 0, 0]).flat();
            farthest = Math.max(farthest, distance);
            faces.draw(drawn(used, base, v.shift, v.distance), `${PAIRS} clocks, one for each pair, with the hands of query and key ${distance} tokens apart.`);
            const score = drawChart(distance, vector, base);
            show(root, {base: String(Math.round(base)), score: digits(score, 6)});
        }

        function drawn(used, base, key, apart) {
            return used.map((on, i) => {
                const theta = c.theta(base, i, 2 * PAIRS), turned = c.forward([1, 0], apart * theta);
                return {name: `pair ${i}`, adds: on ? turned[0] : 0, off: !on,
                    hands: [{angle: key * theta, look: 'key'}, {angle: (key + apart) * theta, look: 'query'}]};
            });
        }

        function drawChart(apart, vector, base) {
            const all = distance.scores(c, vector, NO_STRETCH, base), seen = all.slice(0, farthest + 1), pairs = vector.filter(Boolean).length;
            chart.clear(`The score by distance, up to the largest distance so far: ${seen.filter((_, t) => t % 32 === 0 || t === apart).map(p => `${digits(p[1], 2)} at ${p[0]}`).join(', ')}.`);
            chart.axes(distance.axis, {from: -4, to: 8, ticks: [-4, 0, 4, 8], name: 'score'});
            chart.draw([{points: seen, look: 'score'}]);
            chart.mark(all[apart], 'score');
            chart.handle('distance', chart.at(all[apart]), pixel => {
                const {left, right} = chart.frame;
                controls.set({distance: Math.round((pixel[0] - left) * FARTHEST / (right - left))});
            });
            chart.text([chart.frame.right, chart.frame.top + 14], pairs === 1 ? 'one pair: a cosine' : `${pairs} pairs`, 'tick end');
            return all[apart][1];
        }

        controls.update();
    },

    PAIRS: 8,
    FARTHEST: 256,
    axis: {from: 0, to: 256, ticks: [0, 64, 128, 192, 256], name: 'distance between query and key'},
    METHODS: {none: 0, pi: 0, ntk: 1, yarn: 3}, // Method of posenc/stretch/stretch.h

    // Points [distance, score] of these queries and keys.
    scores(c, vector, factors, base) {
        return Array.from({length: this.FARTHEST + 1}, (_, t) => [t, c.value('picture_score', vector, vector, factors, base, this.PAIRS, t, 0)]);
    },

    stretch(root, c) {
        const {PAIRS, FARTHEST, METHODS} = this, again = () => controls.update(), form = root.querySelector('form');
        const faces = new Clocks(root.querySelector('.faces'), 120, again), chart = new Chart(root.querySelector('.chart'), 260, again, 200);
        const vector = Array(PAIRS).fill([1, 0]).flat(), controls = new Controls(form, draw);
        let shaded = false; // what training showed is not shaded before the reader has guessed
        legend(root.querySelector('.key'), [['score', 'the score with stretched clocks'], ['trained', 'with clocks as trained']]);
        const [guess, choice] = root.querySelectorAll('.ask');
        choice.hidden = true;
        ask(guess, () => { shaded = true; choice.hidden = false; controls.update(); });
        ask(choice, () => controls.set({stretch: choice.querySelector('[aria-pressed=true]').value}));

        function draw(v) {
            const base = 1000, none = v.stretch === 'none';
            const stretched = c.fill('picture_factors', PAIRS, METHODS[v.stretch], none ? 1 : v.factor, v.trained, base, PAIRS);
            form.elements.factor.disabled = none;
            drawFaces([...stretched], base, v);
            drawChart([...stretched], base, v);
            show(root, {attention: v.stretch === 'yarn'
                ? `YaRN also multiplies all cosines and sines by ${digits(stretched.returned, 3)}, and so the scores by its square; the picture leaves this out.` : ''});
        }

        function drawFaces(factors, base, {apart, trained}) {
            faces.draw(factors.map((factor, i) => {
                const theta = c.theta(base, i, 2 * PAIRS);
                return {name: `pair ${i}`, note: `÷ ${digits(factor, 2)}`, seen: shaded ? trained * theta : 0,
                    hands: [{angle: apart * theta, look: 'before'}, {angle: apart * theta / factor, look: 'query'}]};
            }), `${PAIRS} clocks at distance ${apart}. ${shaded ? 'The shaded part of a face was seen in training. ' : ''}` +
                factors.map((factor, i) => `Pair ${i}: frequency divided by ${digits(factor, 2)}.`).join(' '));
        }

        function drawChart(factors, base, {apart, trained}) {
            const after = distance.scores(c, vector, factors, base), before = distance.scores(c, vector, factors.map(() => 1), base);
            chart.clear(`The score of queries and keys that are 1 in every pair, by distance. At ${apart} it is ${digits(after[apart][1], 2)} with ` +
                `stretched clocks, ${digits(before[apart][1], 2)} with clocks as trained. Training saw distances below ${trained}.`);
            chart.axes(distance.axis, {from: -4, to: 8, ticks: [-4, 0, 4, 8], name: 'score'});
            const past = chart.at([trained, -4]), {top, right, bottom} = chart.frame;
            if (trained < FARTHEST) chart.add('rect', {x: past[0], y: top, width: right - past[0], height: bottom - top, class: 'past'});
            if (trained < FARTHEST) chart.text([Math.min(past[0] + 5, right - 110), top + 14], 'past training', 'tick');
            chart.draw([{points: before, look: 'trained'}, {points: after, look: 'score'}]);
            chart.mark(after[apart], 'score');
        }

        controls.update();
    },
};

// By how many radians an arrow at the angle `now` has to turn, half a turn at most, to point at a pixel of the plane.
function turnTo(plane, pixel, now) {
    const [x, y] = plane.point(pixel), on = Math.atan2(y, x) - now;
    return on - 2 * Math.PI * Math.round(on / (2 * Math.PI));
}

// Clocks with a bar below each: what its pair adds to the score, from -1 to 1.
class PairClocks extends Clocks {
    draw(clocks, words) {
        const across = this.width < 560 ? 4 : 8, cell = this.width / across, radius = Math.min(this.width < 560 ? 28 : 36, cell / 2 - 6);
        const row = 2 * radius + 52;
        this.places = [];
        this.setHeight(Math.ceil(clocks.length / across) * row);
        this.clear(`${words} They add ${clocks.map(clock => digits(clock.adds, 2)).join(', ')}.`);
        clocks.forEach((clock, i) => {
            const [x, y] = this.places[i] = [(i % across + 0.5) * cell, Math.floor(i / across) * row + radius + 4], bar = y + radius + 24;
            if (clock.off) this.add('circle', {cx: x, cy: y, r: radius, class: 'face off'});
            else this.face([x, y], radius, clock);
            this.text([x, y + radius + 17], clock.name, 'tick middle');
            this.line([x - radius, bar + 4], [x + radius, bar + 4], 'axis');
            if (clock.off) return;
            this.add('rect', {x: Math.min(x, x + radius * clock.adds), y: bar, width: radius * Math.abs(clock.adds), height: 9, class: 'adds'});
            this.line([x, bar - 2], [x, bar + 11], 'zero');
        });
    }
}
