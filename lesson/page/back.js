// Why the gradient is turned back: x and its copy y move together, as if on one sheet.
const back = {
    start(root, c) {
        const plane = new Plane(root.querySelector('.plane'), 1.9, () => controls.update());
        const controls = new Controls(root.querySelector('form'), draw);
        let revealed = false;
        ask(root.querySelector('.ask'), () => {
            revealed = true;
            climb();
        });
        controls.form.addEventListener('input', event => { if (event.target.name === 'flipped') climb(); });

        // The dot goes along dx, so that its copy shows where dx leads.
        function climb() {
            controls.set({aside: 0, step: 0});
            glide(controls, 'step', 65, 1.5);
        }

        // x stands still here, at the length 1, so that all that moves answers to the question.
        const x = polar(-35, 1);

        function draw({angle, gradient, steepness, flipped, step, aside}) {
            const phi = angle * Math.PI / 180, y = c.forward(x, phi), dy = polar(gradient, steepness);
            const dx = c.backward(dy, flipped ? -phi : phi), start = revealed ? dx : [steepness, 0];
            const moved = c.forward(start.map(part => part * step / 100), aside * Math.PI / 180);
            const [ghostX, ghostY] = [sum(x, moved), c.forward(sum(x, moved), phi)];
            const rise = c.value('picture_loss', ghostX, dy, phi) - c.value('picture_loss', x, dy, phi);
            const most = Math.hypot(...moved) * steepness, share = most > 1e-9 ? rise / most : 0;
            const wrong = share < 1 - 1e-9;
            drawPicture({phi, y, dy, dx, moved, ghostX, ghostY, flipped});
            root.querySelector('.gain i').style.setProperty('--share', share);
            show(root, {
                gain: `${share < 0 ? 'falls' : 'rises'} ${digits(100 * Math.abs(share), 0)}%`, step: `${digits(step, 0)}%`, aside: `${aside}°`,
                sign: flipped ? '+' : '−',
                verdict: !revealed || aside !== 0 || most < 1e-9 ? '' : wrong ? 'The copy leaves dy: this gradient is wrong.' : 'The copy moves along dy.',
            });
            root.querySelector('.verdict').classList.toggle('wrong', wrong);
        }

        function drawPicture({phi, y, dy, dx, moved, ghostX, ghostY, flipped}) {
            plane.clear(`x is turned by ${digits(inDegrees(phi), 0)} degrees to y. At the tip of y, dy points to (${digits(dy[0], 2)}, ` +
                `${digits(dy[1], 2)}). ${revealed ? `At the tip of x, dx points to (${digits(dx[0], 2)}, ${digits(dx[1], 2)}). ` : ''}` +
                `The dot at x has moved by (${digits(moved[0], 2)}, ${digits(moved[1], 2)}), and its copy to (${digits(ghostY[0], 2)}, ${digits(ghostY[1], 2)}).`);
            sheet(x, phi, dy);
            sheet(y, 0, dy);
            plane.arc(Math.atan2(x[1], x[0]), phi, 0.42, 'forward', 'φ');
            if (revealed && !flipped) fan(phi, dy);
            plane.line(plane.at(x), plane.at(ghostX), 'trace');
            plane.line(plane.at(y), plane.at(ghostY), 'trace');
            plane.vector(x, 'x', 'forward');
            plane.vector(y, 'y', 'forward');
            plane.vector(dy, 'dy', 'backward', y);
            if (revealed) plane.vector(dx, 'dx', 'backward', x);
            dot(ghostX, 'dot');
            dot(ghostY, 'copy', plane.at(ghostX));
            plane.polarHandle('dy', dy, controls, 'gradient', 'steepness', y);
            plane.handle('ghost', plane.at(ghostX), pixel => drag(plane.point(pixel), dx));
        }

        // The sheet that is painted around an arrow's tip: on each line, the loss is the same.
        function sheet(tip, turned, dy) {
            const [ux, uy] = c.backward(dy, turned).map(part => part / Math.hypot(...dy)), wide = 0.38, [cx, cy] = plane.at(tip);
            plane.add('circle', {cx, cy, r: wide * plane.unit, class: 'sheet'});
            for (let i = -2; i <= 2; i++) {
                const off = i * wide / 2.5, half = Math.sqrt(wide * wide - off * off), middle = [tip[0] + off * ux, tip[1] + off * uy];
                plane.line(plane.at([middle[0] - half * uy, middle[1] + half * ux]), plane.at([middle[0] + half * uy, middle[1] - half * ux]), 'level');
            }
        }

        // dy as it is turned back, from y to x.
        function fan(phi, dy) {
            const steps = Math.floor(Math.abs(phi) / 0.45);
            for (let i = 1; i < steps; i++) {
                const from = c.forward(x, phi * (1 - i / steps));
                plane.arrow(plane.at(from), plane.at(sum(from, c.backward(dy, phi * i / steps))), 'backward faint');
            }
        }

        // Their names are in the question only.
        function dot(p, name, other = null) {
            const [cx, cy] = plane.at(p);
            plane.add('circle', {cx, cy, r: 6, class: 'dot'});
            const below = other && Math.abs(cx - other[0]) < 50 && Math.abs(cy - other[1]) < 16 ? 16 : 0;
            if (!revealed) plane.text([Math.min(cx + 11, 2 * plane.middle - 9 * name.length), cy + 5 + below], name, 'strong');
        }

        // The dot goes where it is dragged, but no farther from x than dy is long. Close to dx it stays on it.
        function drag(to, dx) {
            const v = [to[0] - x[0], to[1] - x[1]], {steepness} = controls.values;
            const start = revealed ? Math.atan2(dx[1], dx[0]) : 0, aside = Math.round(inDegrees(Math.atan2(v[1], v[0]) - start) + 540) % 360 - 180;
            controls.set({step: Math.min(100, 100 * Math.hypot(...v) / steepness), aside: revealed && Math.abs(aside) < 9 ? 0 : aside});
        }

        controls.update();
    },
};

function sum(a, b) {
    return [a[0] + b[0], a[1] + b[1]];
}
