// The page as a whole: views, theme and printing; starts all parts.

const root = document.documentElement;
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const KEYS = {
  tree: "Keys: ↑ ↓ move, → opens, ← closes, Enter opens or closes.",
  icicle: "Click a block to zoom in, and click it again to zoom out. "
    + "Keys: arrows move, Enter zooms in, Esc zooms out.",
};

function showView(view) {
  for (const each of ["tree", "icicle"]) {
    byId(`${each}-view`).hidden = each !== view;
    byId(`view-${each}`).setAttribute("aria-pressed", String(each === view));
  }
  document.querySelector(".open-close").hidden = view !== "tree";
  byId("keys").textContent = KEYS[view];
  if (current >= 0) goToMatch(current);
}

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
}

// The button names the theme that a click switches to.
function updateTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
  paintMap(); // a canvas keeps the colour that it was painted with
}

function setTheme(theme) {
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  updateTheme();
}

// Paper is white: the canvas is painted again for it; the style sheet does the rest.
function startPrinting() {
  let before;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => setTheme(before));
}

startShown();
startTree();
startIcicle();
startLevels();
startScatter();
startMap();
startTraces();
startSearch();
setLevel(1);
startPrinting();
updateTheme();
prefersDark.addEventListener("change", updateTheme);
byId("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
byId("view-tree").addEventListener("click", () => showView("tree"));
byId("view-icicle").addEventListener("click", () => showView("icicle"));
showView("tree");
