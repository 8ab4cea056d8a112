// The first screen: a running clock. Token by token the hand turns from x to y; the gradient dy comes back as dx.
const first = {
    WORDS: ['Once', 'upon', 'a', 'time', 'there', 'was', 'a', 'cat'],

    start(root, c) {
        const {WORDS} = this, form = root.querySelector('form'), again = () => controls.update();
        const plane = new Plane(root.querySelector('.plane'), 1.75, again), tape = new Clocks(root.querySelector('.tape'), 200, again);
        const theta = c.theta(10000, 1, 32), x = polar(15, 1), clock = this.beats(root, form.elements.play, () => {
            const v = controls.values;
            if (clock.beat < 1) return turn(v);
            clock.beat %= 1;
            controls.set({t: (v.t + 1) % WORDS.length});
        });
        const turn = ({t, gradient, steepness}) => drawPlane((t && t - 1 + clock.turned) * theta, polar(gradient, steepness));
        const controls = new Controls(form, v => {
            turn(v);
            drawTape(v.t);
        });

        // dy, turned back with y by the angle `back`, stands at y turned back so.
        function passing(dy, phi, back, look) {
            const from = c.forward(x, phi - back), v = c.backward(dy, back);
            plane.arrow(plane.at(from), plane.at([from[0] + v[0], from[1] + v[1]]), look);
        }

        function drawPlane(phi, dy) {
            const y = c.forward(x, phi), dx = c.backward(dy, phi);
            plane.clear(`The arrow x is turned by ${digits(inDegrees(phi), 0)} degrees to y. At the tip of y stands the gradient dy, ` +
                `(${digits(dy[0], 2)}, ${digits(dy[1], 2)}). Turned back it is dx at the tip of x, (${digits(dx[0], 2)}, ${digits(dx[1], 2)}).`);
            plane.arc(Math.atan2(x[1], x[0]), phi, 0.4, 'forward', 'φ');
            const steps = Math.floor(phi / 0.45);
            for (let i = 1; i < steps; i++) passing(dy, phi, phi * i / steps, 'backward faint');
            if (clock.returned > 0 && clock.returned < 1) passing(dy, phi, phi * clock.returned, 'backward');
            plane.vector(x, 'x', 'forward');
            plane.vector(y, 'y', 'forward');
            plane.vector(dx, 'dx', 'backward', x);
            plane.vector(dy, 'dy', 'backward', y);
            plane.polarHandle('dy', dy, {set: changes => { clock.run(false); controls.set(changes); }}, 'gradient', 'steepness', y);
        }

        function drawTape(now) {
            tape.draw(WORDS.map((name, i) => ({name, look: i === now ? 'strong' : '', hands: [{angle: i * theta, look: i > now ? 'before' : 'forward'}]})),
                `A clock for each token, which turns by ${digits(theta, 2)} radians per token. The token at position ${now} is “${WORDS[now]}”.`);
        }

        tape.pressed(t => { clock.run(false); controls.set({t}); });
        form.elements.t.addEventListener('input', () => clock.run(false));
        controls.update();
        clock.run(!matchMedia('(prefers-reduced-motion: reduce)').matches);
    },

    // A token takes one beat: in its first part the hand turns, in its second the gradient goes back. `next` is called in
    // each frame; it takes the whole beats off.
    beats(root, button, next) {
        const SECONDS = 2.4, ease = part => { const p = Math.max(0, Math.min(1, part)); return p * p * (3 - 2 * p); };
        let last = 0, running = false, visible = true;
        const clock = {
            beat: 1 - 1e-9,
            get turned() { return ease(this.beat / 0.35); },
            get returned() { return ease((this.beat - 0.4) / 0.5); },
            run(on) {
                if (running === on) return;
                running = on;
                button.textContent = on ? 'Stop the clock' : 'Start the clock';
                if (on) requestAnimationFrame(now => { last = now; frame(now); });
                else this.beat = 1 - 1e-9; // at rest, everything has arrived
            },
        };
        const frame = now => {
            if (!running) return;
            if (visible) clock.beat += Math.min(0.1, (now - last) / 1000) / SECONDS;
            last = now;
            if (visible) next();
            requestAnimationFrame(frame);
        };
        new IntersectionObserver(entries => { visible = entries.at(-1).isIntersecting; }).observe(root);
        button.addEventListener('click', () => clock.run(!running));
        return clock;
    },
};
