// The C functions of the double-precision module that work on numbers in memory, for the sections that do not train.
class Numbers {
    constructor(module) {
        this.module = module;
        this.exports = module.c;
    }

    // Calls a C function whose first argument is the address of `results` doubles that it fills. Each array among the
    // other arguments becomes the address of its numbers. Returns the filled array, with what the function returned as
    // its property `returned`.
    fill(name, results, ...others) {
        const start = this.exports.lesson_numbers();
        let at = start + 8 * results;
        const addresses = others.map(argument => {
            if (!Array.isArray(argument)) return argument;
            const address = at;
            new Float64Array(this.exports.memory.buffer, address, argument.length).set(argument);
            at += 8 * argument.length;
            return address;
        });
        const returned = results ? this.exports[name](start, ...addresses) : this.exports[name](...addresses);
        const filled = Array.from(new Float64Array(this.exports.memory.buffer, start, results));
        return Object.assign(filled, {returned});
    }

    // Calls a C function that returns a number and fills nothing.
    value(name, ...others) {
        return this.fill(name, 0, ...others).returned;
    }

    theta(base, pair, d) {
        return this.exports.rope_theta(base, pair, d);
    }

    forward(x, angle) {
        return this.fill('rope_pair_forward', 2, x, angle);
    }

    backward(dy, angle) {
        return this.fill('rope_pair_backward', 2, dy, angle);
    }

    torque(dy, y) {
        return this.value('rope_pair_torque', dy, y);
    }

    // The length of a gradient of 1 after the scheme's backward pass, by position.
    lengths(scheme, keys, pair, positions) {
        this.module.text = scheme;
        const filled = this.fill('lesson_lengths', positions, keys ? 1 : 0, pair, positions);
        this.module.succeed(filled.returned);
        return filled;
    }

    // The task of the section on torque at a frequency: its loss, dtheta, and the attention by distance.
    task(theta, task) {
        const [, tokens] = task, behind = this.exports.lesson_numbers() + 8;
        const filled = this.fill('pair_task', 1 + tokens, behind, theta, task);
        return {loss: filled.returned, dtheta: filled[0], attention: filled.slice(1)};
    }
}
