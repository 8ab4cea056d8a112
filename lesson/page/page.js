// Starts the sections when the page is there.
(async () => {
    const status = document.getElementById('status'), part = id => document.getElementById(id);
    contents(document.querySelector('nav ol'));
    words.start();
    for (const section of document.querySelectorAll('section')) symbols.start(section);
    for (const box of document.querySelectorAll('pre, .scroll')) scrollable(box);
    try {
        const numbers = new Numbers(await Bitter.load(await Bitter.embedded('double')));
        for (const form of document.forms) form.reset(); // a browser may have kept what was chosen before a reload
        first.start(part('first'), numbers);
        clock.start(part('clock'), numbers);
        back.start(part('back'), numbers);
        lengths.start(part('length'), numbers);
        distance.start(part('distance'), numbers);
        torque.start(part('torque'), numbers);
        layer.start(part('layer'), numbers);
        train.start(part('train'), numbers);
        slope.start(part('slope'), numbers);
        own.start(part('own'), numbers);
        broken.start(part('broken'), numbers.module.mistakes());
        status.textContent = '';
        await Bitter.embedded('float'); // so that training can begin at once
    } catch (error) {
        status.textContent = `This browser cannot run the page: ${error.message}. It needs WebAssembly with vectors and ` +
            'DecompressionStream: Chrome or Edge 111, Firefox 121, Safari 16.4, or newer.';
        console.error(error);
    }
})();

// The list of contents: a link to each section of the main part; style.css numbers both.
function contents(list) {
    list.replaceChildren(...[...document.querySelectorAll('main > section')].map(section => {
        const item = document.createElement('li'), link = document.createElement('a');
        link.href = '#' + section.id;
        link.textContent = section.querySelector('h2').textContent;
        item.append(link);
        return item;
    }));
    for (const link of document.querySelectorAll('a.number'))
        link.textContent = 1 + [...list.children].findIndex(item => item.firstChild.hash === link.hash);
}
