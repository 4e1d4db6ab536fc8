(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  for (const form of document.querySelectorAll(".pick")) {
    const items = [...form.parentElement.querySelectorAll(".case")].map((card) => ({ card, words: null }));
    const seen = form.querySelector("output");
    // What a case is searched by is read once, and only if somebody searches.
    const words = (item) => (item.words ??= item.card.textContent.toLowerCase());
    const filter = () => {
      const kind = form.elements.kind.value;
      const wanted = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const item of items) {
        const shows = (!kind || item.card.dataset.kind === kind) && wanted.every((word) => words(item).includes(word));
        item.card.hidden = !shows;
        count += shows;
      }
      seen.textContent = kind || wanted.length ? `${count} of ${items.length}` : "";
    };
    for (const event of ["input", "change"]) form.addEventListener(event, filter);
    form.addEventListener("submit", (event) => event.preventDefault());
  }
})();
