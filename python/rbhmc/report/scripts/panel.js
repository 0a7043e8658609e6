// The panel that says more about a node or an item.

const panel = byId("panel");
let told = null;

// On a narrow page the panel lies over the tree: what is being read must not be under it.
function uncover(box) {
  const covered = box.getBoundingClientRect().bottom - panel.getBoundingClientRect().top + 8;
  if (getComputedStyle(panel).bottom !== "auto" && covered > 0) {
    window.scrollBy({ top: covered, behavior: "instant" });
  }
}

function featureTable(node) {
  const head = element("tr", {},
    element("th", { scope: "col" }, "Differs most in"),
    element("th", { scope: "col", class: "number" }, "here"),
    element("th", { scope: "col", class: "number" }, "siblings"));
  const rows = node.features.map(([feature, here, there]) =>
    element("tr", {},
      element("th", { scope: "row", dir: "auto" }, feature),
      element("td", { class: "number" }, here),
      element("td", { class: "number" }, there)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

// Names, or pictures, of the first items.
function sample(node) {
  const most = data.sheet ? 24 : 12;
  const items = itemsOf(node);
  const made = element("p", { class: data.sheet ? "sample thumbs" : "sample" });
  items.slice(0, most).forEach((item, at) => {
    if (data.sheet) made.append(thumb(item));
    else made.append(at ? ", " : "", named(item));
  });
  if (items.length > most) made.append(` and ${(items.length - most).toLocaleString("en")} more`);
  return made;
}

function showNode(node) {
  const size = node.parent < 0
    ? counted(node.size, "item")
    : `${counted(node.size, "item")}, ${percent(node.size / order.length)} of all`;
  const content = [
    element("h3", {}, pill(node), ` ${node.parent < 0 ? "All items" : `Node ${node.id}`}`),
    element("p", {}, size),
  ];
  if (node.support !== null) {
    content.push(element("p", {}, `Support: ${percent(node.support)}`));
  }
  if (node.at_level !== null) {
    content.push(element("p", {}, `At its own level: ${percent(node.at_level)}`));
  }
  if (node.overlap !== null) {
    content.push(element("p", {}, `Overlap with the most similar node: ${percent(node.overlap)}`));
  }
  if (node.features.length) content.push(featureTable(node));
  content.push(sample(node));
  panel.replaceChildren(...content);
}

function showItem(item) {
  const way = element("p", { class: "way" });
  pathTo(leafOf[item]).slice(1).forEach((node, at) => way.append(at ? " › " : "In ", pill(node)));
  const rows = levels.map((level, at) => {
    const own = level.own[item];
    return element("tr", {},
      element("th", { scope: "row" }, `at level ${at + 1}`),
      element("td", {}, pill(nodes[level.nodes[item]])),
      element("td", { class: "number" }, own === null ? "alone" : percent(own)));
  });
  const head = element("tr", {},
    element("th", { scope: "col" }, "Together with"),
    element("th", { scope: "col" }, "the others in"),
    element("th", { scope: "col", class: "number" }, "of the draws"));
  panel.replaceChildren(
    element("h3", {}, thumb(item, "large"), named(item)),
    way,
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

// A number is an item, anything else a node.
function showAbout(about) {
  if (about === told) return;
  told = about;
  panel.classList.add("chosen");
  if (typeof about === "number") showItem(about);
  else showNode(about);
}

// By its moves, since pointerover also comes for what scrolls under a pointer at rest.
function tellWhenPointedAt(host) {
  host.addEventListener("pointermove", (event) => {
    const target = event.target.closest('[role="treeitem"]');
    if (target) showAbout(target.about);
  });
}
