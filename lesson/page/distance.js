// Section 4: the score of a query and a key depends on their distance alone, and a stretch slows the clocks.
const distance = {
    start(root, c) {
        const again = () => controls.update();
        const line = new WidePicture(root.querySelector('.line'), 96, again), chart = new Chart(root.querySelector('.chart'), 320, again, 150);
        const PAIRS = this.PAIRS, NO_STRETCH = Array(PAIRS).fill(1), FEW = 3;
        const controls = new Controls(root.querySelector('form.tokens'), draw);
        this.stretch(root.querySelector('form.stretch').parentElement, c);

        function draw(v) {
            const base = 10 ** v.base, m = v.query + v.both, n = v.key + v.both;
            const vector = Array.from({length: PAIRS}, (_, i) => [v[`pair${i}`] ? 1 : 0, 0]).flat();
            const score = c.value('picture_score', vector, vector, NO_STRETCH, base, PAIRS, m, n);
            drawLine(m, n, score);
            drawChart(Math.abs(m - n), vector, base, v);
            show(root.querySelector('.bench'), {distance: digits(m - n, 0), score: digits(score, 6), base: String(Math.round(base))});
        }

        function drawLine(m, n, score) {
            const right = line.width - 24, x = t => 24 + t * (right - 24) / 512;
            const ahead = n > m ? 'a model that writes never looks ahead' : '';
            line.clear(`A line of positions with the query at ${m} and the key at ${n}, ${Math.abs(m - n)} apart. Their score is ${digits(score, 3)}. ${ahead}`);
            line.line([24, 52], [right, 52], 'axis');
            for (let t = 0; t <= 512; t += 128) {
                line.line([x(t), 48], [x(t), 56], 'axis');
                line.text([x(t), 74], String(t), 'tick middle');
            }
            line.line([x(m), 52], [x(n), 52], ahead ? 'span ahead' : 'span');
            line.text([line.width / 2, 92], ahead, 'ahead middle');
            const label = (t, words, look, side) => {
                line.add('circle', {cx: x(t), cy: 52, r: 9, class: `token ${look}`});
                line.text([Math.max(44, Math.min(right - 24, x(t))), side], words, `name ${look}`);
            };
            label(m, `query ${m}`, 'forward', 34);
            label(n, `key ${n}`, 'gradient', 16);
            const token = (name, other) => pixel => controls.set({[name]: Math.round((pixel[0] - 24) * 512 / (right - 24)) - controls.values.both});
            line.handle('query', [x(m), 52], token('query'));
            line.handle('key', [x(n), 52], token('key'));
        }

        // Many waves in a low picture would be a smear: there they are drawn when only a few pairs are in use.
        function drawChart(apart, vector, base, v) {
            const used = NO_STRETCH.map((_, i) => i).filter(i => v[`pair${i}`]), waves = chart.height > 200 || used.length <= FEW;
            const FARTHEST = distance.FARTHEST, total = distance.scores(c, vector, NO_STRETCH, base);
            const each = c.fill('picture_scores', PAIRS * (FARTHEST + 1), vector, vector, NO_STRETCH, base, PAIRS, FARTHEST + 1);
            const row = i => Array.from({length: FARTHEST + 1}, (_, t) => [t, each[i * (FARTHEST + 1) + t]]);
            chart.clear(`The score by distance from 0 to ${FARTHEST}: ${digits(total[0][1], 1)} at 0, ${digits(total[8][1], 2)} at 8, ` +
                `${digits(total[64][1], 2)} at 64, ${digits(total[FARTHEST][1], 2)} at ${FARTHEST}. The tokens are ${apart} apart.`);
            chart.axes({from: 0, to: FARTHEST, name: 'distance between query and key'}, {from: -4, to: 8, name: 'score'});
            if (waves) chart.draw(used.map(i => ({points: row(i), look: 'faint'})));
            chart.draw([{points: total, look: 's0 thick'}]);
            if (apart <= FARTHEST) chart.mark(total[apart], 's0');
            legend(root.querySelector('.key'), [['s0 thick', 'the score'],
                ['faint', waves ? 'what each pair adds to it' : `what each pair adds to it (drawn for ${FEW} pairs or fewer)`]]);
        }

        controls.update();
    },

    PAIRS: 8,
    FARTHEST: 256,
    METHODS: {none: 0, pi: 0, ntk: 1, yarn: 3}, // Method of posenc/stretch/stretch.h

    // Points [distance, score] of these queries and keys.
    scores(c, vector, factors, base) {
        return Array.from({length: this.FARTHEST + 1}, (_, t) => [t, c.value('picture_score', vector, vector, factors, base, this.PAIRS, t, 0)]);
    },

    stretch(root, c) {
        const {PAIRS, FARTHEST, METHODS} = this, again = () => controls.update(), form = root.querySelector('form');
        const faces = new Clocks(root.querySelector('.faces'), 120, again), chart = new Chart(root.querySelector('.chart'), 260, again, 200);
        const vector = Array(PAIRS).fill([1, 0]).flat(), controls = new Controls(form, draw);
        legend(root.querySelector('.key'), [['s0 thick', 'the score with stretched clocks'], ['faint', 'with clocks as trained']]);

        function draw(v) {
            const base = 10 ** v.base, none = v.stretch === 'none';
            const stretched = c.fill('picture_factors', PAIRS, METHODS[v.stretch], none ? 1 : v.factor, v.trained, base, PAIRS);
            form.elements.factor.disabled = none;
            drawFaces([...stretched], base, v);
            drawChart([...stretched], base, v);
            show(root, {base: String(Math.round(base)), attention: v.stretch === 'yarn'
                ? `YaRN also multiplies all cosines and sines by ${digits(stretched.returned, 3)}, the scores by its square; that is left out of the picture.` : ''});
        }

        function drawFaces(factors, base, {apart, trained}) {
            faces.draw(factors.map((factor, i) => {
                const theta = c.theta(base, i, 2 * PAIRS);
                return {name: `pair ${i}`, note: `÷ ${digits(factor, 2)}`, seen: trained * theta,
                    hands: [{angle: apart * theta, look: 'before'}, {angle: apart * theta / factor, look: 'forward'}]};
            }), `${PAIRS} clocks at distance ${apart}. The shaded part of a face is what training showed it. ` +
                factors.map((factor, i) => `Pair ${i}: frequency divided by ${digits(factor, 2)}.`).join(' '));
        }

        function drawChart(factors, base, {apart, trained}) {
            const after = distance.scores(c, vector, factors, base), before = distance.scores(c, vector, factors.map(() => 1), base);
            chart.clear(`The score of queries and keys that are 1 in every pair, by distance. At ${apart} it is ${digits(after[apart][1], 2)} with ` +
                `stretched clocks, ${digits(before[apart][1], 2)} with clocks as trained. Training saw distances below ${trained}.`);
            chart.axes({from: 0, to: FARTHEST, name: 'distance between query and key'}, {from: -4, to: 8, name: 'score'});
            const past = chart.at([trained, -4]), {top, right, bottom} = chart.frame;
            if (trained < FARTHEST) chart.add('rect', {x: past[0], y: top, width: right - past[0], height: bottom - top, class: 'past'});
            if (trained < FARTHEST) chart.text([Math.min(past[0] + 5, right - 110), top + 14], 'past training', 'tick');
            chart.draw([{points: before, look: 'faint'}, {points: after, look: 's0 thick'}]);
            chart.mark(after[apart], 's0');
        }

        controls.update();
    },
};
