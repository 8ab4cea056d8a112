// Section 3: how long a gradient is after the backward pass at each position.
const lengths = {
    start(root, c) {
        const chart = new Chart(root.querySelector('.chart'), 300, () => controls.update(), 200), POSITIONS = 513;
        const controls = new Controls(root.querySelector('form'), draw);
        legend(root.querySelector('.key'), [['s0', 'rope'], ['s1', 'xpos, queries'], ['s2', 'xpos, keys'], ['s3', 'the matrix M']]);

        function draw({t, pair, error, gamma}) {
            const [cosine, sine] = c.forward([1, 0], c.theta(10000, pair, 16)), longer = 1 + error / 100;
            const xpos = `xpos:gamma=${gamma}`;
            const curves = [
                c.lengths('rope', false, pair, POSITIONS), c.lengths(xpos, false, pair, POSITIONS), c.lengths(xpos, true, pair, POSITIONS),
                c.fill('pair_lengths', POSITIONS, [1, 0], [cosine * longer, -sine, sine * longer, cosine], POSITIONS - 1),
            ];
            const at = curves.map(curve => curve[t]);
            chart.clear(`Length of a gradient after the backward pass, by position. At position ${t}: rope ${plain(at[0])}, ` +
                `xpos queries ${plain(at[1])}, xpos keys ${plain(at[2])}, the matrix M ${plain(at[3])}.`);
            chart.axes({from: 0, to: 512, name: 'position'}, {from: 1e-3, to: 1e3, log: true, name: 'length of the gradient'});
            chart.draw(curves.map((curve, i) => ({points: curve.map((value, n) => [n, value]), look: `s${i}`})));
            const {right, top, bottom} = chart.frame;
            curves.forEach((curve, i) => {
                if (!chart.mark([t, curve[t]], `s${i}`)) return;
                const [x] = chart.at([t, 1]), before = x > right - 160;
                chart.text([x + (before ? -12 : 12), at[i] > 1 ? top + 14 : bottom - 8], `off the chart: ${plain(at[i])}`, before ? 'end' : 'start');
            });
            show(root, {rope: plain(at[0]), queries: plain(at[1]), keys: plain(at[2]), matrix: plain(at[3]), t: String(t)});
        }

        function plain(number) {
            return number >= 1e4 || number < 1e-3 ? scientific(number) : digits(number, 4);
        }

        controls.update();
    },
};
