// The section on torque: the gradient with respect to the angle, a frequency that follows it, and why shifts cancel.
const torque = {
    start(root, c) {
        this.oneArrow(root.querySelector('.one'), c);
        this.task(root.querySelector('.task'), c);
        this.shift(root.querySelector('.shift'), c);
    },

    oneArrow(root, c) {
        const plane = new Plane(root.querySelector('svg'), 2.2, () => controls.update()), factor = x => x < 0 ? `(${digits(x, 2)})` : digits(x, 2);
        const controls = new Controls(root.querySelector('form'), ({direction, reach, gradient, steepness}) => {
            const y = polar(direction, reach), dy = polar(gradient, steepness), dphi = c.torque(dy, y);
            const slope = c.value('picture_angle_slope', y, dy, 0, 1e-5);
            drawArrows(y, dy, dphi, direction * Math.PI / 180);
            show(root, {
                torque: digits(dphi, 6), slope: digits(slope, 6), a: factor(dy[1]), b: factor(y[0]), c: factor(dy[0]), d: factor(y[1]),
                sense: Math.abs(dphi) < 5e-4 ? 'dy does not turn y.' : dphi > 0 ? 'Turning y counterclockwise raises the loss.' : 'Turning y counterclockwise lowers the loss.',
            });
        });

        function drawArrows(y, dy, dphi, direction) {
            const reach = Math.hypot(...y), along = [-y[1] / reach, y[0] / reach]; // the way of the tip when y turns
            const line = far => plane.at([y[0] + along[0] * far, y[1] + along[1] * far]), part = dphi / reach, tip = line(part);
            plane.clear(`The arrow y, its gradient dy at the tip, and through the tip the line along which it moves when y turns. ` +
                `The part of dy along that line is ${digits(part, 3)} long. The torque is ${digits(dphi, 3)}.`);
            plane.line(line(-1.2), line(1.2), 'tangent');
            plane.line(plane.at([y[0] + dy[0], y[1] + dy[1]]), tip, 'drop');
            plane.vector(y, 'y', 'forward');
            plane.vector(dy, 'dy', 'backward', y);
            plane.line(plane.at(y), tip, 'part');
            const [x, height] = plane.at(polar(inDegrees(direction + dphi / 2 + (dphi < 0 ? -0.5 : 0.5)), 0.62));
            plane.symbol('dφ', () => {
                plane.arc(direction, dphi / 2, 0.5, 'torque');
                plane.text([x, height + 5], `${dphi > 0 ? '+' : ''}${digits(dphi, 2)}`, 'turn middle');
            });
            plane.polarHandle('y', y, controls, 'direction', 'reach');
            plane.polarHandle('dy', dy, controls, 'gradient', 'steepness', y);
        }

        ask(root.querySelector('.ask'), () => glide(controls, 'gradient', controls.values.direction + 90 > 180
            ? controls.values.direction - 90 : controls.values.direction + 90));
        controls.update();
    },

    task(root, c) {
        const again = () => controls.update();
        const picture = new Chart(root.querySelector('.attention'), 220, again, 120), valley = new Chart(root.querySelector('.valley'), 220, again, 130);
        const TOKENS = 24, STRENGTH = 12, RATE = 0.01;
        let trail = [];
        const controls = new Controls(root.querySelector('form'), draw);
        const taskOf = v => [v.ago, TOKENS, v.phase, STRENGTH];

        function draw(v) {
            const task = taskOf(v), theta = v.theta;
            const {loss, dtheta, attention} = c.task(theta, task);
            drawAttention(attention, v.ago);
            drawValley(theta, loss, dtheta, task);
            const {min, max} = controls.form.elements.theta, leaves = trail.length > 0 && (dtheta > 0 ? theta <= +min : theta >= +max);
            show(root, {theta: digits(theta, 4), dtheta: digits(dtheta, 2), loss: digits(loss, 3),
                weight: digits(attention[v.ago], 3), steps: String(trail.length), left: leaves ? 'θ has left the picture, and the loss still falls.' : ''});
        }

        function drawAttention(attention, ago) {
            const best = attention.indexOf(Math.max(...attention));
            picture.clear(`Attention by distance. Most of it, ${digits(attention[best], 2)}, is ${best} tokens back; ` +
                `${digits(attention[ago], 2)} is where it should be, ${ago} tokens back.`);
            picture.axes({from: -0.5, to: TOKENS - 0.5, name: 'tokens back'}, {from: 0, to: 1, ticks: [0, 0.5, 1], name: 'attention'});
            attention.forEach((weight, j) => {
                const [x, y] = picture.at([j - 0.36, weight]), [right, bottom] = picture.at([j + 0.36, 0]);
                picture.add('rect', {x, y, width: right - x, height: Math.max(0, bottom - y), class: j === ago ? 'bar wanted' : 'bar'});
            });
            picture.handle('ago', picture.at([ago, attention[ago]]), pixel => {
                const {left, right} = picture.frame;
                trail = [];
                controls.set({ago: Math.round(TOKENS * (pixel[0] - left) / (right - left) - 0.5)});
            });
        }

        function drawValley(theta, loss, dtheta, task) {
            const points = Array.from({length: 301}, (_, i) => 0.02 + i * 0.0016).map(x => [x, c.task(x, task).loss]);
            const here = [theta, loss], top = Math.ceil(Math.max(...points.map(p => p[1])));
            const lowest = points.reduce((a, b) => b[1] < a[1] ? b : a);
            valley.clear(`The loss by frequency, lowest at ${digits(lowest[0], 3)}. The frequency is ${digits(theta, 3)}, ` +
                `where the slope is ${digits(dtheta, 2)}.`);
            valley.axes({from: 0.02, to: 0.5, name: 'frequency θ, radians per token'}, {from: 0, to: top, name: 'loss'});
            valley.draw([{points, look: 'score'}, {points: [-0.03, 0.03].map(d => [theta + d, here[1] + d * dtheta]), look: 'trend'}]);
            for (const past of trail.slice(-60)) valley.mark(past, 'trail');
            valley.mark(here, 'backward');
            valley.handle('theta', valley.at(here), pixel => {
                const {left, right} = valley.frame;
                trail = [];
                controls.set({theta: 0.02 + 0.48 * (pixel[0] - left) / (right - left)});
            });
        }

        // One step of descent; true when the slope is gone, or at the slider's end. The rate falls for 6000 steps, so that the
        // frequency comes to rest in steep valleys, too, but not further, so that it goes on in flat ones.
        function step() {
            const v = controls.values, task = taskOf(v), {loss, dtheta} = c.task(v.theta, task);
            trail.push([v.theta, loss]);
            controls.form.elements.theta.value = c.value('pair_task_step', v.theta, RATE / (1 + Math.min(trail.length, 6000) / 60), task);
            return Math.abs(v.theta * dtheta) < 1e-3 || controls.values.theta === v.theta || trail.length > 50000;
        }

        // The first steps are seen one by one; later ones hardly move the point, and more of them are taken at a time.
        function follow() {
            let rests = false;
            for (let left = 1 + Math.floor(trail.length / 20); left > 0 && !rests; left--) rests = step();
            controls.update();
            return rests;
        }

        const still = matchMedia('(prefers-reduced-motion: reduce)');
        play(root.querySelector('button[name=follow]'), () => {
            let rests = follow();
            while (still.matches && !rests) rests = follow(); // at once, for readers who want no motion
            return rests;
        }, 80);
        ask(root.querySelector('.ask'));
        controls.form.addEventListener('input', () => { trail = []; });
        controls.update();
    },

    shift(root, c) {
        const plane = new Plane(root.querySelector('svg'), 1.5, () => controls.update());
        const controls = new Controls(root.querySelector('form'), ({m, n, both, theta}) => {
            const pair = [1, 0.3, 0.4, 1, m + both, n + both, theta];
            const forward = [...c.fill('pair_forward', 7, pair)];
            const [, , , , , torqueQ, torqueK, , , , , dm, dn, dtheta] = c.fill('pair_backward', 14, forward, pair, -1);
            const measured = c.value('pair_slope', pair, 6);
            drawTorques(forward.slice(0, 2), forward.slice(2, 4), torqueQ, torqueK);
            hold('m', forward.slice(0, 2), theta);
            hold('n', forward.slice(2, 4), theta);
            show(root, {m: digits(m + both, 0), n: digits(n + both, 0), loss: digits(forward[6], 6), q: digits(torqueQ, 6), k: digits(torqueK, 6),
                dm: digits(dm, 6), dn: digits(dn, 6), dtheta: digits(dtheta, 6), measured: digits(measured, 6)});
        });
        let known = false; // the key's torque is not drawn before the reader has guessed

        // The arrow of the token at `name` can be dragged to another position.
        function hold(name, arrow, theta) {
            plane.handle(name, plane.at(arrow), pixel => controls.set({[name]: controls.values[name] +
                Math.round(turnTo(plane, pixel, Math.atan2(arrow[1], arrow[0])) / Math.max(theta, 0.01))}));
        }

        function drawTorques(q, k, torqueQ, torqueK) {
            plane.clear(`Query and key, turned. The torque of the query is ${digits(torqueQ, 3)}` + (known ? `, that of the key ${digits(torqueK, 3)}.` : '.'));
            const turn = (name, arrow, torque, radius) => plane.symbol(name, () => {
                const angle = Math.atan2(arrow[1], arrow[0]), past = angle + 2 * torque + Math.sign(torque) * 0.3, [x, y] = plane.at(polar(inDegrees(past), radius));
                plane.arc(angle, 2 * torque, radius, 'torque');
                plane.text([x, y + 5], `${torque > 0 ? '+' : ''}${digits(torque, 2)}`, 'turn middle');
            });
            turn('dφq', q, torqueQ, 0.7);
            if (known) turn('dφk', k, torqueK, 0.7);
            plane.vector(q, 'q', 'query');
            plane.vector(k, 'k', 'key');
        }

        ask(root.querySelector('.ask'), () => {
            known = true;
            root.querySelector('table').hidden = false;
            controls.update();
        });
        controls.update();
    },
};
