// How long a gradient is after the backward pass at each position.
const lengths = {
    start(root, c) {
        const again = () => controls.update(), POSITIONS = 513, D = 16, LOOKS = ['scheme-rope', 'plain', 'query', 'key'], NAMES = ['rope', 'M', 'xPos query', 'xPos key'];
        const plane = new Plane(root.querySelector('.plane'), 3, again), chart = new Chart(root.querySelector('.chart'), 300, again, 200);
        const controls = new Controls(root.querySelector('form'), draw);
        let revealed = false;
        chart.clear('Length of the gradient by position: drawn after the guess.');
        legend(root.querySelector('ul.key'), ['rope', 'the matrix M', 'xPos, query', 'xPos, key'].map((name, i) => [LOOKS[i], name, NAMES[i]]));
        ask(root.querySelector('.ask'), () => {
            revealed = true;
            controls.set({t: 0});
            glide(controls, 't', 300, 5);
        });

        function draw({t, pair, error, gamma}) {
            const theta = c.theta(10000, pair, D), longer = 1 + error / 100;
            drawPlane(theta, longer, t);
            if (revealed) drawChart(theta, longer, t, pair, `xpos:gamma=${gamma}`);
        }

        // The gradient on its way back, a dot for each turn. M is R(θ) with its first column made longer.
        function drawPlane(theta, longer, t) {
            const rope = [[1, 0]], matrix = [[1, 0]];
            for (let n = 1; n <= t && revealed; n++) {
                const [d0, d1] = c.backward(matrix[n - 1], theta);
                matrix.push([longer * d0, d1]);
                rope.push(c.backward([1, 0], n * theta));
            }
            // Both stay in view; beyond 12, M has left it.
            plane.reach = Math.min(12, Math.max(1.6, 1.2 * Math.max(...matrix.map(p => Math.hypot(...p)))));
            plane.unit = plane.middle / plane.reach;
            plane.clear(revealed ? `A gradient dy of length 1 after ${t} turns back. By rope it points to (${rope.at(-1).map(part => digits(part, 2)).join(', ')}), ` +
                `by the matrix M to (${matrix.at(-1).map(part => digits(part, 2)).join(', ')}).` : 'A gradient dy of length 1, before it is turned back.');
            plane.symbol('rope', () => plane.dots(rope.map(p => plane.at(p)), 'scheme-rope'));
            if (longer !== 1) plane.symbol('M', () => plane.dots(matrix.map(p => plane.at(p)), 'plain'));
            if (longer !== 1) plane.vector(matrix.at(-1), 'M', 'plain');
            plane.vector([1, 0], 'dy', 'backward');
            if (revealed) plane.vector(rope.at(-1), 'rope', 'scheme-rope');
        }

        function drawChart(theta, longer, t, pair, xpos) {
            const [cosine, sine] = c.forward([1, 0], theta);
            const curves = [
                c.lengths('rope', false, pair, POSITIONS), c.fill('pair_lengths', POSITIONS, [1, 0], [cosine * longer, -sine, sine * longer, cosine], POSITIONS - 1),
                c.lengths(xpos, false, pair, POSITIONS), c.lengths(xpos, true, pair, POSITIONS),
            ];
            const at = curves.map(curve => curve[Math.round(t)]);
            chart.clear(`Length of a gradient after the backward pass, by position. At position ${t}: rope ${plain(at[0])}, ` +
                `the matrix M ${plain(at[1])}, xPos queries ${plain(at[2])}, xPos keys ${plain(at[3])}.`);
            chart.axes({from: 0, to: 512, ticks: [0, 128, 256, 384, 512], name: 'position'}, {from: 1e-3, to: 1e3, log: true, name: 'length of the gradient'});
            const {left, right, top, bottom} = chart.frame, [x] = chart.at([t, 1]);
            chart.line([x, top], [x, bottom], 'axis');
            chart.draw(curves.map((curve, i) => ({points: curve.map((value, n) => [n, value]), look: LOOKS[i], sym: NAMES[i]})).reverse()); // rope on top
            curves.forEach((curve, i) => {
                if (!chart.mark([t, at[i]], LOOKS[i])) return;
                const before = x > right - 160;
                chart.text([x + (before ? -12 : 12), at[i] > 1 ? top + 14 : bottom - 8], `off the chart: ${plain(at[i])}`, before ? 'end' : 'start');
            });
            chart.handle('t', [x, bottom], pixel => controls.set({t: Math.round(512 * (pixel[0] - left) / (right - left))}));
            show(root, {t: digits(t, 0), rope: plain(at[0]), matrix: plain(at[1]), queries: plain(at[2]), keys: plain(at[3])});
        }

        function plain(number) {
            return number >= 1e4 || number < 1e-3 ? scientific(number) : digits(number, 4);
        }

        controls.update();
    },
};
