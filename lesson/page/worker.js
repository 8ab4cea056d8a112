"use strict";
// The worker of one model, or of gradient checks. It stands behind wasm.js in the same script. The page sends requests
// {type, id, ...} and gets an answer {id, value} or {id, error} to each, in the order in which they came:
//
//   load {bytes}            the module's bytes; comes first
//   start {options}         create a model: "--pos rope --layers 2". Answer: its shape, as Module.shape() has it
//   step {steps}            train so many steps more; answered at once
//   pause                   stop training after the present step. Answer: the number of steps done
//   validate, loss_at {length}, stretch {method}, sample {prompt, tokens}, attention, frequencies {layer}, shape
//   gradcheck {scheme}, mistakes, checks {mistake}      of the module in double precision
//
// While it trains, it also sends {type: "progress", step, losses, seconds}: the number of steps done, the losses of
// those since the last message, and the seconds that they took. {type: "done", step} follows the last step, or
// {type: "failed", step, error} if a step fails.
const SLICE = 40; // milliseconds of training between two looks at the requests

let model = null, done = 0, goal = 0, training = false;
const turn = new MessageChannel(); // a message to oneself comes after the requests that wait, and without delay

const answers = {
    async load({ bytes }) {
        model = await Bitter.load(bytes);
    },
    start({ options }) {
        const shape = model.start(options);
        done = goal = 0;
        return shape;
    },
    step({ steps }) {
        goal = done + steps;
        if (!training) turn.port2.postMessage(null);
        training = true;
    },
    pause() {
        goal = done;
        return done;
    },
    shape: () => model.shape(),
    validate: () => model.validate(),
    loss_at: ({ length }) => model.lossAt(length),
    stretch: ({ method }) => model.stretch(method),
    sample: ({ prompt, tokens }) => model.sample(prompt, tokens),
    attention: () => model.attention(),
    frequencies: ({ layer }) => model.frequencies(layer),
    gradcheck: ({ scheme }) => model.gradcheck(scheme),
    mistakes: () => model.mistakes(),
    checks: ({ mistake }) => model.checks(mistake),
};

function slice() {
    const begin = performance.now(), losses = [];
    try {
        while (done < goal && performance.now() - begin < SLICE) {
            losses.push(model.step());
            done++;
        }
    } catch (error) {
        goal = done;
        self.postMessage({ type: "failed", step: done, error: error.message });
    }
    const seconds = (performance.now() - begin) / 1000;
    if (losses.length > 0) self.postMessage({ type: "progress", step: done, losses, seconds });
    training = done < goal;
    if (training) turn.port2.postMessage(null);
    else self.postMessage({ type: "done", step: done });
}
turn.port1.onmessage = slice;

// Requests are answered one after the other, because `load` takes its time.
let queue = Promise.resolve();
self.onmessage = ({ data }) => {
    queue = queue.then(async () => {
        try {
            self.postMessage({ id: data.id, value: await answers[data.type](data) });
        } catch (error) {
            self.postMessage({ id: data.id, error: error.message });
        }
    });
};
