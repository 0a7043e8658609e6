// Finding items by name, in whichever view is shown.

const search = byId("search");
const found = byId("found");
let matches = [];
let current = -1;

// Case and accents make no difference to who is looked for.
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const plainNames = names.map(plain);

function eachMark(item, change) {
  change(lineOf.get(item).classList);
  change(blockOf.get(item).classList);
}

function unmark() {
  matches.forEach((item) => eachMark(item, (marks) => marks.remove("match", "current")));
  document.querySelectorAll(".holds").forEach((each) => each.classList.remove("holds"));
}

function mark() {
  matches.forEach((item) => {
    eachMark(item, (marks) => marks.add("match"));
    // Closed nodes show that there is something to find in them.
    pathTo(leafOf[item]).forEach((node) => {
      lineOf.get(node).classList.add("holds");
      blockOf.get(node).classList.add("holds");
    });
  });
}

function look(at) {
  if (current >= 0) eachMark(matches[current], (marks) => marks.remove("current"));
  current = at;
  const item = matches[at];
  eachMark(item, (marks) => marks.add("current"));
  showAbout(item);
  if (byId("icicle-view").hidden) openPathTo(item);
  else zoomToItem(item);
  found.value = matches.length === 1 ? "1 match" : `${at + 1} of ${matches.length} matches`;
}

function find() {
  unmark();
  const wanted = plain(search.value.trim());
  matches = wanted ? order.filter((item) => plainNames[item].includes(wanted)) : [];
  current = -1;
  mark();
  found.value = wanted ? "no match" : "";
  if (matches.length) look(0);
  markPoints(matches);
}

function startSearch() {
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && matches.length) {
      const step = event.shiftKey ? matches.length - 1 : 1;
      look((current + step) % matches.length);
    } else if (event.key === "Escape") {
      search.value = "";
      find();
    }
  });
}
