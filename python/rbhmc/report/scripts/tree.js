// The tree as a list whose parts open and close.

const tree = byId("tree");
const treeBox = byId("tree-view");
const lineOf = new Map(); // from nodes, and from numbers of items, to their lines

// Lines that are open at first: as many as can be read without scrolling far.
const FIRST_LINES = 30;
const SMALL = 80;

function preview(node) {
  const made = element("span", { class: "preview", "aria-hidden": "true" });
  itemsOf(node).slice(0, 12).forEach((item, at) => {
    if (data.sheet) made.append(thumb(item));
    else made.append(at ? ", " : "", named(item));
  });
  return made;
}

// In which features a node is higher or lower than its siblings.
function traits(node) {
  const words = node.features.slice(0, 3).map(([feature, , , deviations]) =>
    element("span", { dir: "auto" }, `${deviations > 0 ? "↑" : "↓"} ${feature}`));
  return element("span", { class: "traits", "aria-hidden": "true" }, ...words);
}

function nodeLine(node, depth) {
  const words = node.parent < 0 ? `All ${counted(node.size, "item")}` : counted(node.size, "item");
  const support = node.support === null ? "" :
    element("span", { class: "support" }, `${percent(node.support)} support`);
  const row = element("div", { class: "row" },
    element("span", { class: "twist", "aria-hidden": "true" }),
    pill(node),
    element("span", { class: "size" }, words),
    support,
    preview(node),
    traits(node));
  const below = isLeaf(node)
    ? itemsOf(node).map((item) => itemLine(item, depth + 1))
    : node.children.map((child) => nodeLine(nodes[child], depth + 1));
  const kind = isLeaf(node) ? (data.sheet ? "items pictures" : "items") : "";
  const line = element("li", {
    role: "treeitem",
    "aria-expanded": "false",
    "aria-level": depth,
    "aria-label": `${node.parent < 0 ? "" : `Node ${node.id}, `}${words}` +
      (node.support === null ? "" : `, support ${percent(node.support)}`),
    tabindex: "-1",
  }, row, element("ul", { role: "group", class: kind }, ...below));
  colored(line, node);
  line.about = node;
  lineOf.set(node, line);
  return line;
}

function itemLine(item, depth) {
  const line = element("li", {
    role: "treeitem", class: "item", "aria-level": depth, tabindex: "-1", title: names[item],
  }, thumb(item), named(item));
  line.about = item;
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
  nodes.forEach((node) => setOpen(lineOf.get(node), open || node.parent < 0));
  // What had the focus must stay in sight for the keyboard.
  if (!open) moveStop(tree, lineOf.get(nodes[0]), false);
}

// All of a small tree; of a large one the upper nodes, level by level, as far as there is room.
function openAtFirst() {
  if (order.length <= SMALL) return setAllOpen(true);
  let lines = 1;
  const waiting = [nodes[0]];
  while (waiting.length) {
    const node = waiting.shift();
    if (isLeaf(node) || (node.parent >= 0 && lines + node.children.length > FIRST_LINES)) continue;
    lines += node.children.length;
    setOpen(lineOf.get(node), true);
    waiting.push(...node.children.map((child) => nodes[child]));
  }
  return undefined;
}

function goTo(line) {
  moveStop(tree, line, true);
  uncover(treeBox);
  scrollInside(treeBox, line.querySelector(":scope > .row") || line);
}

function lineAbove(line) {
  return line.parentElement.closest('[role="treeitem"]');
}

// The keys of a tree, as the ARIA practices give them.
function treeKey(event) {
  const line = event.target.closest('[role="treeitem"]');
  const seen = [...tree.querySelectorAll('[role="treeitem"]')].filter((each) => each.offsetParent);
  const at = seen.indexOf(line);
  const opens = line.hasAttribute("aria-expanded");
  const moves = {
    ArrowDown: () => seen[at + 1],
    ArrowUp: () => seen[at - 1],
    Home: () => seen[0],
    End: () => seen[seen.length - 1],
    ArrowRight: () => {
      if (opens && isOpen(line)) return line.querySelector('[role="treeitem"]');
      setOpen(line, true);
      return line;
    },
    ArrowLeft: () => {
      if (!opens || !isOpen(line)) return lineAbove(line);
      setOpen(line, false);
      return line;
    },
    Enter: () => { setOpen(line, !isOpen(line)); return line; },
    " ": () => { setOpen(line, !isOpen(line)); return line; },
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const target = moves[event.key]();
  if (target) goTo(target);
}

function openPathTo(item) {
  pathTo(leafOf[item]).forEach((node) => setOpen(lineOf.get(node), true));
  const line = lineOf.get(item);
  moveStop(tree, line, false);
  uncover(treeBox);
  scrollInside(treeBox, line);
}

function startTree() {
  tree.append(nodeLine(nodes[0], 1));
  openAtFirst();
  moveStop(tree, lineOf.get(nodes[0]), false);
  tree.addEventListener("keydown", treeKey);
  tree.addEventListener("focusin", (event) => showAbout(event.target.about));
  tellWhenPointedAt(tree);
  tree.addEventListener("click", (event) => {
    const line = event.target.closest('[role="treeitem"]');
    if (event.target.closest(".row")) setOpen(line, !isOpen(line));
    if (line) goTo(line);
  });
  byId("open-all").addEventListener("click", () => setAllOpen(true));
  byId("close-all").addEventListener("click", () => setAllOpen(false));
  showNode(nodes[0]);
}
