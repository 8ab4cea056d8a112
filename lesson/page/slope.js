// A gradient is checked by measuring: the slope by a difference, beside what the backward pass computes.
const slope = {
    start(root, c) {
        const plane = new Plane(root.querySelector('.plane'), 1.5, () => controls.update());
        const x = polar(-20, 1), dy = polar(120, 1), controls = new Controls(root.querySelector('form'), draw);

        function draw({angle, flipped, nudge}) {
            const phi = angle * Math.PI / 180, h = 10 ** nudge, dx = c.backward(dy, flipped ? -phi : phi);
            const measured = [0, 1].map(channel => c.value('picture_slope', x, dy, phi, channel, h));
            const apart = Math.max(...measured.map((s, i) => Math.abs(s - dx[i])));
            const agree = apart < Math.max(1e-4, 4e-16 / h); // numbers near 1 are rounded at 1e-16, and the slope divides by h
            const rounding = apart < 1e-10 ? '' : ` to ${Math.floor(-Math.log10(apart))} decimals; the rest is rounding in the measurement`;
            plane.clear(`dx by the code points to (${digits(dx[0], 2)}, ${digits(dx[1], 2)}), the measured slope to ` +
                `(${digits(measured[0], 2)}, ${digits(measured[1], 2)}).`);
            plane.vector(dx, 'dx', 'backward');
            plane.vector(measured, 'measured', 'measured');
            show(root, {
                x0: digits(dx[0], 10), x1: digits(dx[1], 10), s0: digits(measured[0], 10), s1: digits(measured[1], 10),
                nudge: scientific(h).replace('1.0·', ''),
                verdict: agree ? `The code’s gradient and the measured slope agree${rounding}.`
                    : 'The code’s gradient and the measured slope differ: the code is wrong.',
            });
            root.querySelector('.verdict').classList.toggle('wrong', !agree);
        }

        controls.update();
    },
};
