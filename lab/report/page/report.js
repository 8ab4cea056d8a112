// A click on the name of a line hides the line, and another one shows it again. The page can be read without this.
"use strict";
for (const key of document.querySelectorAll("figure .key")) {
    const switchLine = () => {
        const off = !key.classList.contains("off"), name = CSS.escape(key.dataset.name);
        for (const part of key.closest("figure").querySelectorAll(`[data-name="${name}"]`)) part.classList.toggle("off", off);
        key.setAttribute("aria-pressed", !off);
    };
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.addEventListener("click", switchLine);
    key.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault(); // a space would scroll
        switchLine();
    });
}
addEventListener("beforeprint", () => { for (const fold of document.querySelectorAll("body>details")) fold.open = true; });
