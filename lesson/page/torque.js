// Section 5: the gradient with respect to the angle, a frequency that follows it, and why shifts cancel.
const torque = {
    start(root, c) {
        this.oneArrow(root.querySelector('.one'), c);
        this.task(root.querySelector('.task'), c);
        this.shift(root.querySelector('.shift'), c);
    },

    oneArrow(root, c) {
        const plane = new Plane(root.querySelector('svg'), 2.2);
        const controls = new Controls(root.querySelector('form'), ({direction, reach, gradient, steepness}) => {
            const y = polar(direction, reach), dy = polar(gradient, steepness), dphi = c.torque(dy, y);
            const slope = c.value('picture_angle_slope', y, dy, 0, 1e-5);
            plane.clear(`The arrow y, its gradient dy at the tip, and at a right angle the way in which the tip moves when y turns. ` +
                `The torque is ${digits(dphi, 3)}.`);
            plane.vector([-y[1], y[0]], 'turning', 'measured', y);
            plane.arc(direction * Math.PI / 180, dphi / 2, 0.5, 'torque');
            plane.vector(y, 'y', 'forward');
            plane.vector(dy, 'dy', 'gradient', y);
            plane.polarHandle('y', y, controls, 'direction', 'reach');
            plane.polarHandle('dy', dy, controls, 'gradient', 'steepness', y);
            show(root, {
                torque: digits(dphi, 6), slope: digits(slope, 6), a: digits(dy[1], 3), b: digits(y[0], 3), c: digits(dy[0], 3), d: digits(y[1], 3),
                sense: Math.abs(dphi) < 5e-4 ? 'dy does not turn y.' : dphi > 0 ? 'Turning y counterclockwise raises the loss.' : 'Turning y counterclockwise lowers the loss.',
            });
        });
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
            show(root, {theta: digits(theta, 4), dtheta: digits(dtheta, 4), loss: digits(loss, 4),
                weight: digits(attention[v.ago], 3), steps: String(trail.length)});
        }

        function drawAttention(attention, ago) {
            const best = attention.indexOf(Math.max(...attention));
            picture.clear(`Attention by distance. Most of it, ${digits(attention[best], 2)}, is at ${best} tokens ago; ` +
                `${digits(attention[ago], 2)} is where it should be, at ${ago}.`);
            picture.axes({from: -0.5, to: TOKENS - 0.5, name: 'tokens ago'}, {from: 0, to: 1, name: 'attention'});
            attention.forEach((weight, j) => {
                const [x, y] = picture.at([j - 0.36, weight]), [right, bottom] = picture.at([j + 0.36, 0]);
                picture.add('rect', {x, y, width: right - x, height: Math.max(0, bottom - y), class: j === ago ? 'bar wanted' : 'bar'});
            });
        }

        function drawValley(theta, loss, dtheta, task) {
            const points = Array.from({length: 301}, (_, i) => 0.02 + i * 0.0016).map(x => [x, c.task(x, task).loss]);
            const here = [theta, loss], top = Math.ceil(Math.max(...points.map(p => p[1])));
            const lowest = points.reduce((a, b) => b[1] < a[1] ? b : a);
            valley.clear(`The loss by frequency, lowest at ${digits(lowest[0], 3)}. The frequency is ${digits(theta, 3)}, ` +
                `where the slope is ${digits(dtheta, 2)}.`);
            valley.axes({from: 0.02, to: 0.5, name: 'frequency θ, radians a token'}, {from: 0, to: top, name: 'loss'});
            valley.draw([{points, look: 's0'}, {points: [-0.03, 0.03].map(d => [theta + d, here[1] + d * dtheta]), look: 'measured'}]);
            for (const past of trail.slice(-60)) valley.mark(past, 'trail');
            valley.mark(here, 's1');
            valley.handle('theta', valley.at(here), pixel => {
                const {left, right} = valley.frame;
                trail = [];
                controls.set({theta: 0.02 + 0.48 * (pixel[0] - left) / (right - left)});
            });
        }

        // The rate falls step by step, so that the frequency comes to rest in steep valleys, too.
        play(root.querySelector('button[name=follow]'), () => {
            const v = controls.values, task = taskOf(v);
            trail.push([v.theta, c.task(v.theta, task).loss]);
            controls.set({theta: c.value('pair_task_step', v.theta, RATE / (1 + trail.length / 60), task)});
            return Math.abs(controls.values.theta - v.theta) < 1e-5 * v.theta; // it has come to rest, or to the slider's end
        });
        controls.form.addEventListener('input', () => { trail = []; });
        controls.update();
    },

    shift(root, c) {
        const controls = new Controls(root.querySelector('form'), ({m, n, both, theta}) => {
            const pair = [1, 0.3, 0.4, 1, m + both, n + both, theta];
            const forward = [...c.fill('pair_forward', 7, pair)];
            const [, , , , , torqueQ, torqueK, , , , , dm, dn, dtheta] = c.fill('pair_backward', 14, forward, pair, -1);
            const measured = c.value('pair_slope', pair, 6);
            show(root, {m: String(m + both), n: String(n + both), loss: digits(forward[6], 6), q: digits(torqueQ, 6), k: digits(torqueK, 6),
                dm: digits(dm, 6), dn: digits(dn, 6), dtheta: digits(dtheta, 6), measured: digits(measured, 6)});
        });
        controls.update();
    },
};
