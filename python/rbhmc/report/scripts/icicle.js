// The tree as blocks: columns are levels, heights are numbers of items, a click looks closer.

const icicle = byId("icicle");
const crumbs = byId("crumbs");
const blockOf = new Map();
let zoomed = nodes[0];

// Pixels that a name, a line of words, two lines, a picture and a number of items need.
const READ = 12;
const LINE = 15;
const LINES = 38;
const PICTURE = 20;
const COUNT = 62;
const FIRST_COLUMN = 0.55; // widths, in those of a column
const LAST_COLUMN = 1.7;

// Columns below a node, its own included.
function columnsOf(node) {
  return 1 + Math.max(0, ...node.children.map((child) => columnsOf(nodes[child])));
}

function isWithin(node, outer) {
  return node.start >= outer.start && node.start + node.size <= outer.start + outer.size
    && node.depth >= outer.depth;
}

function makeBlock(about, label, level, content) {
  const block = element("div", {
    role: "treeitem", class: "block", tabindex: "-1", "aria-level": level, "aria-label": label,
  }, ...content);
  block.about = about;
  blockOf.set(about, block);
  return block;
}

function nodeBlock(node) {
  const words = counted(node.size, "item");
  const label = node.parent < 0 ? `All ${words}` : `Node ${node.id}, ${words}`;
  return colored(makeBlock(node, label, node.depth + 1, [
    element("b", {}, title(node)), element("span", {}, words),
  ]), node);
}

function itemBlock(item) {
  const leaf = leafOf[item];
  const block = makeBlock(item, names[item], leaf.depth + 2, [thumb(item), named(item)]);
  block.classList.add("item");
  block.style.setProperty("--node", leaf.color);
  return block;
}

function place(block, left, right, top, bottom) {
  const tall = bottom - top;
  block.style.left = `${left}px`;
  block.style.width = `${Math.max(0, right - left - 2)}px`;
  block.style.top = `${top}px`;
  // A seam between blocks, where they are tall enough to spare it.
  block.style.height = `${Math.max(0.5, tall > 4 ? tall - 1 : tall)}px`;
  block.classList.toggle("wordless", tall < (typeof block.about === "number" ? READ : LINE));
  block.classList.toggle("tall", tall >= LINES);
  block.classList.toggle("slim", right - left < COUNT);
}

function layIcicle() {
  const width = icicle.clientWidth;
  const scale = icicle.clientHeight / zoomed.size;
  const columns = columnsOf(zoomed);
  const named = scale >= READ; // otherwise the items are left out, and the nodes have all the room
  const unit = width / (FIRST_COLUMN + columns - 1 + (named ? LAST_COLUMN : 0));
  const edge = (column) => (column <= 0 ? 0 : (FIRST_COLUMN + column - 1) * unit);
  const top = (at) => (at - zoomed.start) * scale;
  nodes.forEach((node) => {
    const block = blockOf.get(node);
    block.hidden = !isWithin(node, zoomed);
    if (block.hidden) return;
    const column = node.depth - zoomed.depth;
    // A leaf goes on to the items, however deep others are.
    const right = isLeaf(node) ? edge(columns) : edge(column + 1);
    place(block, edge(column), right, top(node.start), top(node.start + node.size));
  });
  order.forEach((item, at) => {
    const block = blockOf.get(item);
    block.hidden = !named || at < zoomed.start || at >= zoomed.start + zoomed.size;
    if (!block.hidden) place(block, edge(columns), width, top(at), top(at + 1));
  });
  icicle.style.setProperty("--letters", `${clamp(scale - 1, 11, 14)}px`);
  icicle.classList.toggle("pictures", scale >= PICTURE);
}

function layCrumbs() {
  const links = pathTo(zoomed).map((node) => {
    const link = element("button", { type: "button", class: "crumb" }, pill(node));
    link.setAttribute("aria-label", node.parent < 0 ? "Show all items" : `Show node ${node.id}`);
    if (node === zoomed) link.setAttribute("aria-current", "true");
    link.addEventListener("click", () => zoomTo(node));
    return link;
  });
  crumbs.replaceChildren(...links.flatMap((link, at) => (at ? [" › ", link] : [link])));
}

function zoomTo(node) {
  zoomed = node;
  layIcicle();
  layCrumbs();
}

// In, or out again where this is what fills the view already.
function zoom(about) {
  if (typeof about === "number") return;
  zoomTo(about === zoomed && about.parent >= 0 ? nodes[about.parent] : about);
}

function aboveOf(about) {
  if (typeof about === "number") return leafOf[about];
  return about.parent < 0 ? about : nodes[about.parent];
}

function belowOf(about) {
  if (typeof about === "number") return about;
  return isLeaf(about) ? order[about.start] : nodes[about.children[0]];
}

// The next or the one before at the same depth, within what is shown.
function beside(about, step) {
  if (typeof about === "number") return order[places[about] + step];
  const alike = nodes.filter((node) => node.depth === about.depth && isWithin(node, zoomed));
  return alike[alike.indexOf(about) + step];
}

function goToBlock(block) {
  moveStop(icicle, block, true);
  uncover(icicle);
}

function icicleKey(event) {
  const { about } = event.target;
  const moves = {
    ArrowRight: () => belowOf(about),
    ArrowLeft: () => aboveOf(about),
    ArrowDown: () => beside(about, 1),
    ArrowUp: () => beside(about, -1),
  };
  if (event.key in moves) {
    event.preventDefault();
    const target = blockOf.get(moves[event.key]());
    if (target && !target.hidden) goToBlock(target);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    zoom(about);
  } else if (event.key === "Escape" && zoomed.parent >= 0) {
    zoomTo(nodes[zoomed.parent]);
    goToBlock(blockOf.get(zoomed));
  }
}

// Looks as closely as it takes to read the name.
function zoomToItem(item) {
  const large = pathTo(leafOf[item]).find((node) => icicle.clientHeight / node.size >= READ);
  zoomTo(large || leafOf[item]);
  const block = blockOf.get(item);
  if (!block.hidden) moveStop(icicle, block, false);
  uncover(icicle);
}

function startIcicle() {
  icicle.append(...nodes.map(nodeBlock), ...order.map(itemBlock));
  moveStop(icicle, blockOf.get(nodes[0]), false);
  whenSized(icicle, () => zoomTo(zoomed));
  icicle.addEventListener("keydown", icicleKey);
  icicle.addEventListener("focusin", (event) => showAbout(event.target.about));
  tellWhenPointedAt(icicle);
  icicle.addEventListener("click", (event) => {
    const block = event.target.closest(".block");
    if (!block) return;
    goToBlock(block);
    zoom(block.about);
  });
}
