// What the text of all sections shares: symbols that light their arrows, words that explain themselves, guesses.

// Equation and picture are linked: pointing at a symbol, or moving the focus to it, lights everything of its section that
// has the same data-sym. Pictures are drawn anew again and again, so the section remembers what is lit.
const symbols = {
    start(root) {
        const under = event => event.target.closest?.('[data-sym]')?.dataset.sym ?? '';
        root.addEventListener('pointerover', event => this.light(root, under(event)));
        root.addEventListener('pointerleave', () => this.light(root, ''));
        root.addEventListener('focusin', event => this.light(root, under(event)));
        root.addEventListener('focusout', () => this.light(root, ''));
    },

    light(root, name) {
        if ((root.dataset.lit ?? '') === name) return;
        root.dataset.lit = name;
        for (const part of root.querySelectorAll('[data-sym]')) part.classList.toggle('lit', part.dataset.sym === name);
    },

    // The name that is lit where `part` stands.
    lit(part) {
        return part.closest('section')?.dataset.lit || null;
    },

    // Writes a formula into `element`. In it, {k} is a symbol that lights what is called k, and {q0:q} one that reads q and
    // lights what is called q0. look(name, text) gives its class.
    write(element, formula, look) {
        if (element.formula === formula) return; // a symbol that has the focus keeps it
        element.formula = formula;
        element.replaceChildren(...formula.split(/\{(.*?)\}/).map((part, i) => {
            if (i % 2 === 0) return part;
            const [name, text = name] = part.split(':'), symbol = document.createElement('button');
            Object.assign(symbol, {type: 'button', className: `sym ${look(name, text)}`, textContent: text});
            symbol.dataset.sym = name;
            return symbol;
        }));
    },

    // The same formula as plain text.
    plain(formula) {
        return formula.replace(/\{(?:[^{}]*:)?([^{}]*)\}/g, '$1');
    },
};

// <a class="word" href="#word-token">: a link to the list of words at the end of the page. Pointing at it, the focus or a
// tap shows what stands there.
const words = {
    start() {
        this.tip = document.createElement('div');
        Object.assign(this.tip, {id: 'tip', hidden: true});
        this.tip.setAttribute('role', 'tooltip');
        document.body.append(this.tip);
        const over = event => event.target.closest?.('a.word');
        document.addEventListener('pointerover', event => {
            if (over(event)) this.show(over(event));
            else if (!this.tip.contains(event.target)) this.hide();
        });
        document.addEventListener('focusin', event => over(event) ? this.show(over(event)) : this.hide());
        document.addEventListener('keydown', event => { if (event.key === 'Escape') this.hide(); });
        let pressed; // by what: in some browsers a click does not say
        document.addEventListener('pointerdown', event => { pressed = event.pointerType; });
        document.addEventListener('click', event => { if (over(event) && pressed === 'touch') event.preventDefault(); });
        addEventListener('hashchange', () => this.unfold());
        this.unfold();
    },

    // The list is folded until an address leads to one of its words.
    unfold() {
        if (!/^#word-[a-z]+$/.test(location.hash)) return;
        const word = document.querySelector(location.hash);
        if (!word) return;
        word.closest('details').open = true;
        word.scrollIntoView();
    },

    show(link) {
        const {tip} = this, place = link.getClientRects()[0];
        tip.replaceChildren(...document.querySelector(link.hash).nextElementSibling.cloneNode(true).childNodes);
        tip.hidden = false;
        const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
        tip.style.left = `${left + scrollX}px`;
        tip.style.top = `${place.bottom + scrollY}px`;
        this.link?.removeAttribute('aria-describedby');
        this.link = link;
        link.setAttribute('aria-describedby', 'tip');
    },

    hide() {
        this.tip.hidden = true;
        this.link?.removeAttribute('aria-describedby');
    },
};

// A guess before the answer: <div class="ask"> has buttons, one of them with data-right, and a hidden .answer. The first
// choice shows it, and what has the class `later` in the same section, and calls `answered`.
function ask(box, answered = () => {}) {
    const buttons = [...box.querySelectorAll('button')], answer = box.querySelector('.answer');
    for (const button of buttons) button.addEventListener('click', () => {
        for (const other of buttons) {
            other.setAttribute('aria-pressed', String(other === button));
            other.classList.toggle('right', 'right' in other.dataset);
            other.classList.toggle('wrong', other === button && !('right' in other.dataset));
        }
        if (!answer.hidden) return;
        answer.hidden = false;
        box.closest('section').classList.add('answered');
        answered();
    });
}

// What scrolls sideways can be scrolled by keyboard, too.
function scrollable(box) {
    new ResizeObserver(() => {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
        else box.removeAttribute('tabindex');
    }).observe(box);
}
