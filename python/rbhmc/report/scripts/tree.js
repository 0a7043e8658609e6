// The tree as a list whose nodes open and close.

const tree = byId("tree");
const treeBox = byId("tree-view");
const lineOf = new Map(); // from a node or an item to its line

const MAX_FIRST_LINES = 30; // lines of a large tree that are open at first
const SMALL_TREE = 80; // items of a tree that is open as a whole at first
const MAX_PREVIEW = 12;

// The features in which a node is higher or lower than its siblings.
function traits(node) {
  const spans = node.features.slice(0, 3).map(([feature, , , deviations]) =>
    element("span", { dir: "auto" }, `${deviations > 0 ? "↑" : "↓"} ${feature}`));
  return element("span", { class: "traits", "aria-hidden": "true" }, ...spans);
}

function nodeLine(node, depth) {
  const count = `${isRoot(node) ? "All " : ""}${pluralize(node.size, "item")}`;
  const hasSupport = node.support !== null;
  const preview = element("span", { class: "preview", "aria-hidden": "true" });
  const row = element("div", { class: "row" },
    element("span", { class: "toggle", "aria-hidden": "true" }),
    nodeBadge(node),
    element("span", { class: "size" }, count),
    hasSupport ? element("span", { class: "support" }, `${percent(node.support)} support`) : "",
    appendItems(preview, itemsOf(node).slice(0, MAX_PREVIEW)),
    traits(node));
  const below = isLeaf(node)
    ? itemsOf(node).map((item) => itemLine(item, depth + 1))
    : node.children.map((child) => nodeLine(nodes[child], depth + 1));
  const kind = isLeaf(node) ? (data.sprites ? "items pictures" : "items") : "";
  const line = element("li", {
    role: "treeitem",
    "aria-expanded": "false",
    "aria-level": depth,
    "aria-label": `${isRoot(node) ? "" : `Node ${node.id}, `}${count}` +
      (hasSupport ? `, support ${percent(node.support)}` : ""),
    tabindex: "-1",
  }, row, element("ul", { role: "group", class: kind }, ...below));
  colorBy(line, node);
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
  nodes.forEach((node) => setOpen(lineOf.get(node), open || isRoot(node)));
  // The tab stop must stay visible for the keyboard.
  if (!open) moveTabStop(tree, lineOf.get(nodes[0]), false);
}

// Opens all of a small tree; of a large one the upper nodes, level by level, while there is room.
function openAtFirst() {
  if (order.length <= SMALL_TREE) return setAllOpen(true);
  let nLines = 1;
  const queue = [nodes[0]];
  while (queue.length) {
    const node = queue.shift();
    const tooMany = nLines + node.children.length > MAX_FIRST_LINES;
    if (isLeaf(node) || (!isRoot(node) && tooMany)) continue;
    nLines += node.children.length;
    setOpen(lineOf.get(node), true);
    queue.push(...node.children.map((child) => nodes[child]));
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
  pathTo(leafOf[item]).forEach((node) => setOpen(lineOf.get(node), true));
  const line = lineOf.get(item);
  moveTabStop(tree, line, false);
  uncover(treeBox);
  scrollInside(treeBox, line);
}

function startTree() {
  tree.append(nodeLine(nodes[0], 1));
  openAtFirst();
  moveTabStop(tree, lineOf.get(nodes[0]), false);
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
