// The page as a whole: views, theme, printing, and the start of all parts.

const root = document.documentElement;
const darkAsked = window.matchMedia("(prefers-color-scheme: dark)");
const KEYS = {
  tree: "Keys: ↑ ↓ move, → opens, ← closes, Enter opens or closes.",
  icicle: "Click a block to look closer, and click it again to go back. "
    + "Keys: arrows move, Enter looks closer, Esc goes back.",
};

function showView(view) {
  for (const each of ["tree", "icicle"]) {
    byId(`${each}-view`).hidden = each !== view;
    byId(`view-${each}`).setAttribute("aria-pressed", String(each === view));
  }
  document.querySelector(".open-close").hidden = view !== "tree";
  byId("keys").textContent = KEYS[view];
  if (current >= 0) look(current);
}

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : darkAsked.matches;
}

// The button says what a click will do.
function nameTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
  paintMap(); // a canvas keeps the ink that it was painted with
}

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  nameTheme();
}

// Paper is white: the canvas has to be painted for it, all else is in the style.
function startPrinting() {
  let before;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => setTheme(before));
}

startTree();
startIcicle();
startLevels();
startScatter();
startMap();
startRanking();
startTraces();
startSearch();
setLevel(1);
startPrinting();
nameTheme();
darkAsked.addEventListener("change", nameTheme);
byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
byId("view-tree").addEventListener("click", () => showView("tree"));
byId("view-icicle").addEventListener("click", () => showView("icicle"));
showView("tree");
