// The search for items by name, in the view that is shown.

const search = byId("search");
const matchCount = byId("match-count");
let matches = [];
let current = -1;

// Without case and accents.
function normalize(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const normalizedNames = names.map(normalize);

function changeClasses(shown, change) {
  change(lineOf.get(shown).classList);
  change(blockOf.get(shown).classList);
}

function unmarkMatches() {
  matches.forEach((item) => changeClasses(item, (classes) => classes.remove("match", "current")));
  document.querySelectorAll(".has-match").forEach((each) => each.classList.remove("has-match"));
}

// Closed nodes show that they contain a match.
function markMatches() {
  matches.forEach((item) => {
    changeClasses(item, (classes) => classes.add("match"));
    pathTo(holderOf[item]).forEach((node) => {
      changeClasses(node, (classes) => classes.add("has-match"));
    });
  });
}

function goToMatch(at) {
  if (current >= 0) changeClasses(matches[current], (classes) => classes.remove("current"));
  current = at;
  const item = matches[at];
  changeClasses(item, (classes) => classes.add("current"));
  describe(item);
  if (byId("icicle-view").hidden) openPathTo(item);
  else zoomToItem(item);
  matchCount.value = matches.length === 1 ? "1 match" : `${at + 1} of ${matches.length} matches`;
}

function findMatches() {
  unmarkMatches();
  const wanted = normalize(search.value.trim());
  matches = wanted ? order.filter((item) => normalizedNames[item].includes(wanted)) : [];
  current = -1;
  markMatches();
  matchCount.value = wanted ? "no match" : "";
  if (matches.length) goToMatch(0);
  markPoints(matches);
}

function startSearch() {
  search.addEventListener("input", findMatches);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches.length) {
      const step = event.shiftKey ? matches.length - 1 : 1;
      goToMatch((current + step) % matches.length);
    } else if (event.key === "Escape") {
      search.value = "";
      findMatches();
    }
  });
}
