// How long a gradient is after the backward pass at each position.
const lengths = {
    start(root, c) {
        const chart = new Chart(root.querySelector('.chart'), 320, () => controls.update(), 200), POSITIONS = 513;
        const controls = new Controls(root.querySelector('form'), draw), LOOKS = ['scheme-rope', 'query', 'key', 'plain'];
        let revealed = false;
        legend(root.querySelector('ul.key'), ['rope', 'xPos, query', 'xPos, key', 'the matrix M'].map((name, i) => [LOOKS[i], name]));
        ask(root.querySelector('.ask'), () => { revealed = true; controls.update(); });

        function draw({t, pair, error, gamma}) {
            const [cosine, sine] = c.forward([1, 0], c.theta(10000, pair, 16)), longer = 1 + error / 100;
            const xpos = `xpos:gamma=${gamma}`;
            const curves = [
                c.lengths('rope', false, pair, POSITIONS), c.lengths(xpos, false, pair, POSITIONS), c.lengths(xpos, true, pair, POSITIONS),
                c.fill('pair_lengths', POSITIONS, [1, 0], [cosine * longer, -sine, sine * longer, cosine], POSITIONS - 1),
            ];
            const at = curves.map(curve => curve[t]);
            chart.clear(revealed ? `Length of a gradient after the backward pass, by position. At position ${t}: rope ${plain(at[0])}, ` +
                `xPos queries ${plain(at[1])}, xPos keys ${plain(at[2])}, the matrix M ${plain(at[3])}.` : 'An empty chart of length by position, until you have guessed.');
            chart.axes({from: 0, to: 512, name: 'position'}, {from: 1e-3, to: 1e3, log: true, name: 'length of the gradient'});
            show(root, {t: String(t), ...Object.fromEntries(['rope', 'queries', 'keys', 'matrix'].map((name, i) => [name, revealed ? plain(at[i]) : '?']))});
            if (revealed) drawCurves(curves, at, t);
        }

        function drawCurves(curves, at, t) {
            const {left, right, top, bottom} = chart.frame, [x] = chart.at([t, 1]);
            chart.line([x, top], [x, bottom], 'axis');
            chart.draw(curves.map((curve, i) => ({points: curve.map((value, n) => [n, value]), look: LOOKS[i]})).reverse()); // rope on top
            curves.forEach((curve, i) => {
                if (!chart.mark([t, curve[t]], LOOKS[i])) return;
                const before = x > right - 160;
                chart.text([x + (before ? -12 : 12), at[i] > 1 ? top + 14 : bottom - 8], `off the chart: ${plain(at[i])}`, before ? 'end' : 'start');
            });
            chart.handle('t', [x, bottom], pixel => controls.set({t: Math.round(512 * (pixel[0] - left) / (right - left))}));
        }

        function plain(number) {
            return number >= 1e4 || number < 1e-3 ? scientific(number) : digits(number, 4);
        }

        controls.update();
    },
};
