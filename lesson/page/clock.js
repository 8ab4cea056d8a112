// One pair of channels is turned forward, and all pairs of a head are clocks.
const clock = {
    start(root, c) {
        const again = () => controls.update();
        const plane = new Plane(root.querySelector('.plane'), 1.6, again), faces = new Clocks(root.querySelector('.faces'), 200, again);
        const controls = new Controls(root.querySelector('form'), draw);
        const PAIRS = 16;
        ask(root.querySelector('.ask'), () => {
            controls.set({pair: 1, base: 4, t: 0}); // the hand of the question
            glide(controls, 't', 11, 4);
        });

        function draw({t, pair, base, direction, reach}) {
            const b = 10 ** base, theta = c.theta(b, pair, 2 * PAIRS), phi = t * theta;
            const x = polar(direction, reach), y = c.forward(x, phi);
            drawPair(x, y, phi);
            drawFaces(t, pair, b);
            show(root, {
                base: String(Math.round(b)), theta: theta < 1e-3 ? scientific(theta) : digits(theta, 4), t: String(t), pair: String(pair), phi: digits(phi, 3),
                degrees: digits(inDegrees(phi), 0), turns: digits(phi / (2 * Math.PI), 2),
                cosine: digits(c.forward([1, 0], phi)[0], 3), sine: digits(c.forward([1, 0], phi)[1], 3),
                x0: digits(x[0], 3), x1: digits(x[1], 3), y0: digits(y[0], 3), y1: digits(y[1], 3),
            });
        }

        function drawPair(x, y, phi) {
            plane.clear(`The arrow x at (${digits(x[0], 2)}, ${digits(x[1], 2)}) is turned by ${digits(inDegrees(phi), 0)} ` +
                `degrees and becomes the arrow y at (${digits(y[0], 2)}, ${digits(y[1], 2)}).`);
            plane.arc(Math.atan2(x[1], x[0]), phi, 0.42, 'forward', 'φ');
            plane.vector(x, 'x', 'forward');
            plane.vector(y, 'y', 'forward');
            plane.polarHandle('x', x, controls, 'direction', 'reach');
        }

        function drawFaces(t, chosen, base) {
            const angles = Array.from({length: PAIRS}, (_, i) => t * c.theta(base, i, 2 * PAIRS));
            faces.draw(angles.map((angle, i) => ({name: `pair ${i}`, look: i === chosen ? 'strong' : '',
                hands: [{angle, look: i === chosen ? 'forward chosen' : 'forward'}]})),
                `${PAIRS} clocks, one for each pair of a head, at position ${Math.round(t)}. The hand of pair 0 has turned by ` +
                `${digits(angles[0], 1)} radians, that of pair ${PAIRS - 1} by ${digits(angles.at(-1), 3)}.`);
        }

        faces.pressed(pair => controls.set({pair}));
        play(root.querySelector('button[name=play]'), () => {
            const {t} = controls.values;
            controls.set({t: t < 128 ? t + 1 : 0});
        });
        controls.update();
    },
};

// A button that repeats `step` until it is pressed again or `step` returns true. Readers who want no motion get one step
// for each press.
function play(button, step, pause = 150) {
    const still = matchMedia('(prefers-reduced-motion: reduce)'), name = button.textContent;
    let timer = 0;
    const run = on => {
        clearInterval(timer);
        timer = on ? setInterval(() => { if (step()) run(false); }, pause) : 0;
        button.textContent = on ? 'Stop' : name;
    };
    button.addEventListener('click', () => {
        if (still.matches) step();
        run(!timer && !still.matches);
    });
}
