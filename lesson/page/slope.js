// A gradient is checked by measuring: the slope by a difference, beside what the backward pass computes, of the loss of one
// query and one key along the query's first number.
const slope = {
    MOST: 4, // of that number
    SMALLEST: -13, LARGEST: 0.3, // exponents of nudges

    start(root, c) {
        const {MOST} = this, again = () => controls.update(), controls = new Controls(root.querySelector('form'), draw);
        const picture = new Chart(root.querySelector('.slope'), 260, again, 125), errors = new Chart(root.querySelector('.errors'), 260, again, 120);
        const pairOf = x => [x, 0.3, 0.4, 2, 5, 4, 0.5], lossOf = x => c.fill('pair_forward', 7, pairOf(x))[6];
        let known = false; // the errors of all nudges are not drawn before the reader has guessed
        ask(root.querySelector('.ask'), () => { known = true; glide(controls, 'nudge', -5, 4); });

        // (loss(x + h) - loss(x - h)) / 2h, with the losses of the C code.
        const measured = (x, h) => (lossOf(x + h) - lossOf(x - h)) / (2 * h);

        function gradient(x, flipped) {
            const pair = pairOf(x), forward = [...c.fill('pair_forward', 7, pair)];
            return c.fill('pair_backward', 14, forward, pair, flipped ? 1 : -1)[7];
        }

        function draw({nudge: exponent, x, flipped}) {
            const h = 10 ** exponent, by = measured(x, h), code = gradient(x, flipped), apart = Math.abs(by - code);
            const agree = apart < 1e-6, why = flipped ? ' at every nudge: the gradient is wrong' : !known ? '' : h > 1e-5 ? ': the curve bends between the points' : ': rounding error is all that is left';
            drawSlopes(x, h, by, code);
            drawErrors(x, code, h, apart);
            show(root, {nudge: h < 0.095 ? scientific(h) : digits(h, 2), code: digits(code, 10), measured: digits(by, 10), apart: scientific(apart),
                verdict: agree ? 'The two slopes agree.' : `The two slopes differ${why}.`});
            root.querySelector('.verdict').classList.toggle('wrong', !agree);
        }

        function drawSlopes(x, h, by, code) {
            const here = lossOf(x), curve = Array.from({length: 161}, (_, i) => -MOST + i * MOST / 80).map(at => [at, lossOf(at)]);
            const line = (rise, far, height) => [[x - far, height - far * rise], [x + far, height + far * rise]], ends = [x - h, x + h].map(at => [at, lossOf(at)]);
            const middle = (ends[0][1] + ends[1][1]) / 2;
            picture.clear(`The loss along the query's first number, now ${digits(x, 2)}. Two points at a distance of ${scientific(h)} give the slope ${digits(by, 4)}; ` +
                `the code's gradient is ${digits(code, 4)}.`);
            picture.axes({from: -MOST, to: MOST, name: 'first number of the query, x'}, {from: 0, to: 6, ticks: [0, 2, 4, 6], name: 'loss'});
            picture.draw([{points: curve, look: 'score'}, {points: line(code, 2, here), look: 'trend', sym: 'code'},
                {points: line(by, Math.max(2, h), middle), look: 'measured', sym: 'measured'}]);
            drawTriangle(...ends);
            picture.mark([x, here], 'backward');
            picture.handle('x', picture.at([x, here]), pixel => {
                const {left, right} = picture.frame;
                controls.set({x: MOST * (2 * (pixel[0] - left) / (right - left) - 1)});
            });
        }

        // The triangle of the measured slope: 2h to the right, and up or down by the difference of the losses.
        function drawTriangle(left, right) {
            const corner = picture.at([right[0], left[1]]);
            picture.symbol('run', () => picture.line(picture.at(left), corner, 'drop'));
            picture.line(corner, picture.at(right), 'drop');
            picture.symbol('left', () => picture.mark(left, 'measured'));
            picture.symbol('right', () => picture.mark(right, 'measured'));
        }

        function drawErrors(x, code, h, apart) {
            const {SMALLEST, LARGEST} = slope, count = 133, FLOOR = 1e-14;
            const all = Array.from({length: count}, (_, i) => 10 ** (SMALLEST + i * (LARGEST - SMALLEST) / (count - 1)))
                .map(size => [size, Math.max(FLOOR, Math.abs(measured(x, size) - code))]);
            errors.clear(`How far the measured slope is from the gradient: ${scientific(apart)} at a nudge of ${scientific(h)}.` +
                (known ? ` ${all.filter((_, i) => i % 20 === 0).map(p => `${scientific(p[1])} at ${scientific(p[0])}`).join(', ')}.` : ''));
            errors.axes({from: 10 ** SMALLEST, to: 10 ** LARGEST, log: true, ticks: [1e-13, 1e-9, 1e-5, 0.1], name: 'nudge h'},
                {from: FLOOR, to: 10, log: true, ticks: [1e-12, 1e-8, 1e-4, 1], name: 'error'});
            if (known) errors.draw([{points: all, look: 'measured thin'}]);
            errors.symbol('apart', () => errors.mark([h, Math.max(FLOOR, apart)], 'measured'));
            errors.handle('nudge', errors.at([h, Math.max(FLOOR, apart)]), pixel => {
                const {left, right} = errors.frame;
                controls.set({nudge: SMALLEST + (LARGEST - SMALLEST) * (pixel[0] - left) / (right - left)});
            });
        }

        controls.update();
    },
};
