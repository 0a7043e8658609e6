// The tree as a list whose nodes open and close.

const tree = byId("tree");
const treeBox = byId("tree-view");
const lineOf = new Map(); // from a node or an item to its line

const MAX_FIRST_LINES = 30; // lines of a large tree that are open at first
const SMALL_TREE = 80; // items of a tree that is open as a whole at first
const MAX_PREVIEW = 12;

// The height of the root, where all items are together.
const highest = Math.max(...nodes.map((node) => node.height ?? 0)) || 1;

// What sets a node apart from its siblings; beside names only while the node is open.
function traits(node) {
  const spans = node.mentions.map((text) => element("span", { dir: "auto" }, text));
  return element("span", { class: showsItems ? "traits" : "traits alone" }, ...spans);
}

function heightOf(node) {
  if (node.height !== null) return node.height;
  return node.above ? heightOf(node.above) : highest;
}

// The way from the node above to a node, in parts of the highest dendrogram height.
function heightStep(node) {
  return node.above ? Math.max(0, heightOf(node.above) - heightOf(node)) / highest : 0;
}

// The items that stay directly in a node, in a list of their own if it also has nodes below it. Of
// items without names only those that a search finds are visible there.
function directItems(node, depth) {
  const lines = node.direct.map((item) => itemLine(item, depth));
  if (!node.below.length || !lines.length) return lines;
  const list = element("ul", { role: "presentation", class: itemsClass() }, ...lines);
  const note = showsItems ? "others" : pluralize(lines.length, "other item");
  return [element("li", { role: "none", class: showsItems ? "direct" : "direct counted" },
    element("span", { class: "note", "aria-hidden": "true" }, note), list)];
}

function itemsClass() {
  return data.sprites ? "items pictures" : "items";
}

function nodeLine(node, depth) {
  const count = `${isRoot(node) ? "All " : ""}${pluralize(node.size, "item")}`;
  const hasSupport = node.support !== null && !isRoot(node);
  const preview = element("span", { class: "preview", "aria-hidden": "true" });
  if (showsItems) appendItems(preview, itemsOf(node).slice(0, MAX_PREVIEW));
  // The label of the line says all of this.
  const row = element("div", { class: "row", "aria-hidden": "true" },
    element("span", { class: "toggle", "aria-hidden": "true" }),
    nodeBadge(node),
    isMarked(node) ? element("span", { class: "mark" }, "cluster") : "",
    element("span", { class: "size" }, count),
    hasSupport ? element("span", { class: "support" }, `${percent(node.support)} support`) : "",
    node.height === null ? "" : element("span", { class: "height" }, `height ${node.height.toFixed(2)}`),
    showsItems ? preview : "",
    traits(node));
  const below = [...node.below.map((each) => nodeLine(each, depth + 1)), ...directItems(node, depth + 1)];
  const kind = node.below.length ? "" : itemsClass();
  const line = element("li", {
    role: "treeitem",
    "aria-expanded": "false",
    "aria-level": depth,
    "aria-label": `${isRoot(node) ? "" : `Node ${node.id}, `}${count}` +
      (isMarked(node) ? ", cluster" : "") +
      (hasSupport ? `, support ${percent(node.support)}` : "") +
      node.mentions.map((text) => `, ${text}`).join(""),
    tabindex: "-1",
  }, row, element("ul", { role: "group", class: kind }, ...below));
  colorBy(line, node);
  line.style.setProperty("--step", String(heightStep(node)));
  line.shown = node;
  lineOf.set(node, line);
  return line;
}

function itemLine(item, depth) {
  const line = element("li", {
    role: "treeitem", class: "item", "aria-level": depth, tabindex: "-1", title: names[item],
  }, thumbnail(item), itemName(item));
  line.shown = item;
  lineOf.set(item, line);
  return line;
}

function setOpen(line, open) {
  if (line.hasAttribute("aria-expanded")) line.setAttribute("aria-expanded", String(open));
}

function isOpen(line) {
  return line.getAttribute("aria-expanded") === "true";
}

function setAllOpen(open) {
  nodes.filter((node) => node.isShown)
    .forEach((node) => setOpen(lineOf.get(node), open || isRoot(node)));
  // The tab stop must stay visible for the keyboard.
  if (!open) moveTabStop(tree, lineOf.get(nodes[0]), false);
}

// Opens all of a small tree; of a large one, or one of mere numbers, the upper nodes, level by level,
// while there is room.
function openAtFirst() {
  if (showsItems && order.length <= SMALL_TREE) return setAllOpen(true);
  let nLines = 1;
  const queue = [nodes[0]];
  while (queue.length) {
    const node = queue.shift();
    const tooMany = nLines + node.below.length > MAX_FIRST_LINES;
    if (!node.below.length || (!isRoot(node) && tooMany)) continue;
    nLines += node.below.length;
    setOpen(lineOf.get(node), true);
    queue.push(...node.below);
  }
  return undefined;
}

function goToLine(line) {
  moveTabStop(tree, line, true);
  uncover(treeBox);
  scrollInside(treeBox, line.querySelector(":scope > .row") || line);
}

// The keys of a tree by the ARIA Authoring Practices.
function treeKey(event) {
  const line = event.target.closest('[role="treeitem"]');
  const visible = [...tree.querySelectorAll('[role="treeitem"]')].filter((each) => each.offsetParent);
  const at = visible.indexOf(line);
  const canOpen = line.hasAttribute("aria-expanded");
  const toggle = () => { setOpen(line, !isOpen(line)); return line; };
  const moves = {
    ArrowDown: () => visible[at + 1],
    ArrowUp: () => visible[at - 1],
    Home: () => visible[0],
    End: () => visible[visible.length - 1],
    ArrowRight: () => {
      if (canOpen && isOpen(line)) return line.querySelector('[role="treeitem"]');
      setOpen(line, true);
      return line;
    },
    ArrowLeft: () => {
      if (!canOpen || !isOpen(line)) return line.parentElement.closest('[role="treeitem"]');
      setOpen(line, false);
      return line;
    },
    Enter: toggle,
    " ": toggle,
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const target = moves[event.key]();
  if (target) goToLine(target);
}

function openPathTo(item) {
  pathTo(holderOf[item]).forEach((node) => setOpen(lineOf.get(node), true));
  const line = lineOf.get(item);
  moveTabStop(tree, line, false);
  uncover(treeBox);
  scrollInside(treeBox, line);
}

function drawTree() {
  lineOf.clear();
  tree.replaceChildren(nodeLine(nodes[0], 1));
  moveTabStop(tree, lineOf.get(nodes[0]), false);
}

// Draws the nodes that are shown now; those that were open stay so, and so do new ones within.
function redrawTree() {
  const closed = new Set([...lineOf].filter(([, line]) => !isOpen(line)).map(([shown]) => shown));
  drawTree();
  lineOf.forEach((line, shown) => setOpen(line, !closed.has(shown)));
  markMatches();
}

// The switch that places nodes by the height at which they were formed.
function startHeights() {
  const button = byId("by-height");
  button.hidden = !nodes.some((node) => node.height !== null);
  byId("height-scale").textContent =
    `A node is further to the right if its items are more similar: from height ${highest.toFixed(2)} to 0.`;
  button.addEventListener("click", () => {
    const on = tree.classList.toggle("by-height");
    button.setAttribute("aria-pressed", String(on));
    byId("height-scale").hidden = !on;
  });
}

function startTree() {
  drawTree();
  openAtFirst();
  startHeights();
  onShown.push(redrawTree);
  tree.addEventListener("keydown", treeKey);
  tree.addEventListener("focusin", (event) => describe(event.target.shown));
  describeOnPointer(tree);
  tree.addEventListener("click", (event) => {
    const line = event.target.closest('[role="treeitem"]');
    if (event.target.closest(".row")) setOpen(line, !isOpen(line));
    if (line) goToLine(line);
  });
  byId("open-all").addEventListener("click", () => setAllOpen(true));
  byId("close-all").addEventListener("click", () => setAllOpen(false));
  describeNode(nodes[0]);
}
