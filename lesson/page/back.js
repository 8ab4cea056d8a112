// Section 2: the gradient is turned back, and a measured slope agrees unless the sign is flipped.
const back = {
    start(root, c) {
        const forward = new Plane(root.querySelector('.forward-plane'), 2.5), backward = new Plane(root.querySelector('.backward-plane'), 2.5);
        const controls = new Controls(root.querySelector('form'), draw);

        function draw({angle, direction, reach, gradient, steepness, flipped, nudge}) {
            const phi = angle * Math.PI / 180, x = polar(direction, reach), y = c.forward(x, phi);
            const dy = polar(gradient, steepness), h = 10 ** nudge;
            const dx = c.backward(dy, flipped ? -phi : phi);
            const slope = [0, 1].map(channel => c.value('picture_slope', x, dy, phi, channel, h));
            drawForward(x, y, dy, phi);
            drawBackward(dy, dx, slope, flipped ? phi : -phi);
            const apart = Math.max(...slope.map((s, i) => Math.abs(s - dx[i])));
            const agree = apart < Math.max(1e-4, 4e-16 / h); // numbers near 1 are rounded at 1e-16, and the slope divides by h
            const rounding = apart < 1e-10 ? '' : ` to ${Math.floor(-Math.log10(apart))} decimals; the rest is rounding in the measurement`;
            show(root, {
                x0: digits(dx[0], 10), x1: digits(dx[1], 10), s0: digits(slope[0], 10), s1: digits(slope[1], 10),
                loss: digits(c.value('picture_loss', x, dy, phi), 4), nudge: scientific(h).replace('1.0·', ''),
                verdict: agree ? `The code’s gradient and the measured slope agree${rounding}.`
                    : 'The code’s gradient and the measured slope differ: the code is wrong.',
            });
            root.querySelector('.verdict').classList.toggle('wrong', !agree);
        }

        function drawForward(x, y, dy, phi) {
            forward.clear(`Forward: x is turned by ${digits(inDegrees(phi), 0)} degrees to y. At the tip of y, the gradient dy ` +
                `points to (${digits(dy[0], 2)}, ${digits(dy[1], 2)}): that way the loss rises fastest.`);
            forward.arc(Math.atan2(x[1], x[0]), phi, 0.4, 'forward');
            forward.vector(x, 'x', 'before');
            forward.vector(y, 'y', 'forward');
            forward.vector(dy, 'dy', 'gradient', y);
            forward.polarHandle('x', x, controls, 'direction', 'reach');
            forward.polarHandle('dy', dy, controls, 'gradient', 'steepness', y);
        }

        function drawBackward(dy, dx, slope, turn) {
            backward.clear(`Backward: the code turns dy by ${digits(inDegrees(turn), 0)} degrees to dx at (${digits(dx[0], 2)}, ` +
                `${digits(dx[1], 2)}). The slope measured by differences is (${digits(slope[0], 2)}, ${digits(slope[1], 2)}).`);
            backward.arc(Math.atan2(dy[1], dy[0]), turn, 0.4, 'gradient');
            backward.vector(dy, 'dy', 'gradient faint');
            backward.vector(dx, 'dx', 'gradient');
            backward.arrow(backward.at([0, 0]), backward.at(slope), 'measured');
            backward.text([8, 310], 'dashed: measured', 'name start measured');
            backward.polarHandle('dy', dy, controls, 'gradient', 'steepness');
        }

        controls.update();
    },
};
