(() => {
  "use strict";
  const root = document.documentElement;
  const form = document.getElementById("filter");
  const seen = form.elements.seen;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const entries = (name) => new Map(all(`li[data-${name}]`).map((entry) => [entry.dataset[name], entry]));
  const [cardEntries, fileEntries] = [entries("finding"), entries("file")];
  const cards = all(".finding").map((card) => ({
    card,
    file: card.closest(".file"),
    entry: cardEntries.get(card.id.slice("finding-".length)),
    words: null,
  }));
  const files = all(".file").map((file) => ({
    file,
    fold: file.querySelector("details"),
    entry: fileEntries.get(file.dataset.file),
  }));
  root.classList.add("js");
  form.querySelectorAll("[disabled]").forEach((input) => (input.disabled = false));
  const side = document.querySelector(".side");
  if (matchMedia("(max-width: 60rem)").matches) side.querySelector("details").open = false;

  // What stays below the bar begins where the bar ends, however many lines that takes.
  const bar = document.querySelector(".bar");
  const measure = () => {
    const stays = getComputedStyle(bar).position === "sticky";
    root.style.setProperty("--bar", `${stays ? bar.offsetHeight : 0}px`);
  };
  new ResizeObserver(measure).observe(bar);

  // What a card is searched by is read once, and only if somebody searches.
  const words = (item) => (item.words ??= `${item.file.querySelector("h2").textContent} ${item.card.textContent}`.toLowerCase());

  const filter = () => {
    if (!seen) return;
    const data = new FormData(form);
    const levels = data.getAll("level");
    const [tag, source] = [data.get("tag"), data.get("source")];
    const wanted = data.get("text").toLowerCase().split(/\s+/).filter(Boolean);
    const filled = new Set();
    let count = 0;
    for (const item of cards) {
      const { level, tag: own, source: from } = item.card.dataset;
      const shows = levels.includes(level) && (!tag || tag === own) && (!source || source === from)
        && wanted.every((word) => words(item).includes(word));
      item.card.hidden = item.entry.hidden = !shows;
      if (shows) {
        count += 1;
        filled.add(item.file);
      }
    }
    const filters = tag || source || wanted.length > 0 || levels.length < 3;
    for (const { file, entry } of files) file.hidden = entry.hidden = Boolean((filters || data.get("only")) && !filled.has(file));
    document.querySelector(".none").hidden = count > 0 || !filters;
    seen.textContent = filters ? `${count} of ${cards.length}` : "";
  };
  for (const kind of ["input", "change"]) document.addEventListener(kind, filter);
  form.addEventListener("submit", (event) => event.preventDefault());

  const show = (element) => {
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (element.matches(".file") && !element.querySelector("details").open) element.querySelector("details").open = true;
    mark(element);
    element.focus({ preventScroll: true });
    const block = element.matches(".file") ? "start" : "center";
    element.scrollIntoView({ block, behavior: "instant" });
    // What was not drawn before has its real size only now.
    requestAnimationFrame(() => element.scrollIntoView({ block, behavior: "instant" }));
  };

  // Where the list stands beside the diff, it goes along.
  const mark = (element) => {
    const entry = cardEntries.get(element.id.slice("finding-".length)) ?? fileEntries.get(element.dataset.file);
    document.querySelector("[aria-current]")?.removeAttribute("aria-current");
    entry?.querySelector("a").setAttribute("aria-current", "true");
    if (getComputedStyle(side).position === "sticky") entry?.scrollIntoView({ block: "nearest", behavior: "instant" });
  };

  // The next or the previous element, from the one that has the focus or else from what is in view.
  const step = (elements, by) => {
    const visible = elements.filter((element) => !element.closest("[hidden]"));
    if (visible.length === 0) return;
    const from = document.activeElement?.closest(".finding, .file");
    let next;
    if (from) {
      const follows = (element) => from.compareDocumentPosition(element) & (by > 0 ? 4 : 2) && !element.contains(from);
      next = by > 0 ? visible.find(follows) : visible.findLast(follows);
      if (!next && from.matches(".finding") && by < 0) next = visible[0];
    } else {
      next = by > 0 ? visible.find((element) => element.getBoundingClientRect().top > 0) : visible.findLast((element) => element.getBoundingClientRect().top < 0);
    }
    show(next ?? visible[by > 0 ? visible.length - 1 : 0]);
  };

  const theme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("diffsieve-theme", root.dataset.theme);
    } catch {
      // A page from a file may have no storage.
    }
  };
  try {
    const kept = localStorage.getItem("diffsieve-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch {
    // As above.
  }
  const keys = document.getElementById("keys");
  document.getElementById("theme").addEventListener("click", theme);
  document.getElementById("help").addEventListener("click", () => keys.showModal());

  const actions = {
    j: () => step(cards.map((item) => item.card), 1),
    k: () => step(cards.map((item) => item.card), -1),
    n: () => step(files.map((item) => item.file), 1),
    p: () => step(files.map((item) => item.file), -1),
    o: () => {
      const fold = document.activeElement?.closest(".file")?.querySelector("details");
      if (fold) {
        fold.open = !fold.open;
        fold.parentElement.focus();
      }
    },
    x: () => {
      form.reset();
      filter();
    },
    t: theme,
    "?": () => keys.showModal(),
    "/": () => form.elements.text?.focus(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || keys.open) return;
    if (event.target.matches("input[type=search], select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (Object.hasOwn(actions, event.key)) {
      event.preventDefault();
      actions[event.key]();
    }
  });

  // A link to a finding opens what it is folded in, and what the filter hides is shown again.
  const go = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) actions.x();
    if (target.matches(".finding, .file, .about")) show(target);
  };
  addEventListener("hashchange", go);
  go();
  filter();
  addEventListener("beforeprint", () => all("details").forEach((fold) => (fold.open = true)));
})();
