// The tree as an icicle plot of blocks: columns are levels, heights are numbers of items, and a
// click zooms in.

const icicle = byId("icicle");
const breadcrumbs = byId("breadcrumbs");
const blockOf = new Map(); // from a node or an item to its block
let zoomed = nodes[0];

// The least height or width of a block, in pixels, for its contents.
const NAME_HEIGHT = 12;
const LINE_HEIGHT = 15;
const TWO_LINES_HEIGHT = 38;
const PICTURE_HEIGHT = 20;
const COUNT_WIDTH = 62;
const FIRST_COLUMN = 0.55; // widths, in columns
const LAST_COLUMN = 1.7;

// The number of columns of a node and its descendants.
function columnsOf(node) {
  return 1 + Math.max(0, ...node.below.map(columnsOf));
}

function isWithin(node, ancestor) {
  return node.start >= ancestor.start && node.start + node.size <= ancestor.start + ancestor.size
    && node.depth >= ancestor.depth;
}

function makeBlock(shown, label, level, content) {
  const block = element("div", {
    role: "treeitem", class: "block", tabindex: "-1", "aria-level": level, "aria-label": label,
  }, ...content);
  block.shown = shown;
  blockOf.set(shown, block);
  return block;
}

function nodeBlock(node) {
  const count = pluralize(node.size, "item");
  const label = (isRoot(node) ? `All ${count}` : `Node ${node.id}, ${count}`) +
    (isMarked(node) ? ", cluster" : "");
  const content = [element("b", {}, badgeText(node)), element("span", {}, count)];
  const block = colorBy(makeBlock(node, label, node.depth + 1, content), node);
  block.classList.toggle("cluster", isMarked(node));
  block.classList.toggle("uncertain", node.is_uncertain);
  return block;
}

function itemBlock(item) {
  const holder = holderOf[item];
  const block = makeBlock(item, names[item], holder.depth + 2, [thumbnail(item), itemName(item)]);
  block.classList.add("item");
  block.style.setProperty("--node", holder.color);
  return block;
}

function placeBlock(block, left, right, top, bottom) {
  const height = bottom - top;
  block.style.left = `${left}px`;
  block.style.width = `${Math.max(0, right - left - 2)}px`;
  block.style.top = `${top}px`;
  // A gap between blocks that are high enough.
  block.style.height = `${Math.max(0.5, height > 4 ? height - 1 : height)}px`;
  block.classList.toggle("wordless", height < (isItem(block.shown) ? NAME_HEIGHT : LINE_HEIGHT));
  block.classList.toggle("tall", height >= TWO_LINES_HEIGHT);
  block.classList.toggle("slim", right - left < COUNT_WIDTH);
}

function placeBlocks() {
  const width = icicle.clientWidth;
  const scale = icicle.clientHeight / zoomed.size;
  const columns = columnsOf(zoomed);
  const showItems = scale >= NAME_HEIGHT; // otherwise the nodes have all the room
  const unit = width / (FIRST_COLUMN + columns - 1 + (showItems ? LAST_COLUMN : 0));
  const leftOf = (column) => (column <= 0 ? 0 : (FIRST_COLUMN + column - 1) * unit);
  const topOf = (position) => (position - zoomed.start) * scale;
  nodes.forEach((node) => {
    const block = blockOf.get(node);
    block.hidden = !node.isShown || !isWithin(node, zoomed);
    if (block.hidden) return;
    const column = node.depth - zoomed.depth;
    // A node with nothing below it extends to the items, whatever the depth of others.
    const right = node.below.length ? leftOf(column + 1) : leftOf(columns);
    placeBlock(block, leftOf(column), right, topOf(node.start), topOf(node.start + node.size));
  });
  order.forEach((item, at) => {
    const block = blockOf.get(item);
    block.hidden = !showItems || at < zoomed.start || at >= zoomed.start + zoomed.size;
    if (block.hidden) return;
    // An item that stays directly in a node with others below it starts at that node.
    const holder = holderOf[item];
    const column = holder.below.length ? holder.depth - zoomed.depth + 1 : columns;
    placeBlock(block, leftOf(column), width, topOf(at), topOf(at + 1));
  });
  icicle.style.setProperty("--letters", `${clamp(scale - 1, 11, 14)}px`);
  icicle.classList.toggle("pictures", scale >= PICTURE_HEIGHT);
}

function showBreadcrumbs() {
  const links = pathTo(zoomed).map((node) => {
    const link = element("button", { type: "button", class: "breadcrumb" }, nodeBadge(node));
    link.setAttribute("aria-label", isRoot(node) ? "Show all items" : `Show node ${node.id}`);
    if (node === zoomed) link.setAttribute("aria-current", "true");
    link.addEventListener("click", () => zoomTo(node));
    return link;
  });
  breadcrumbs.replaceChildren(...links.flatMap((link, at) => (at ? [" › ", link] : [link])));
}

function zoomTo(node) {
  zoomed = node;
  placeBlocks();
  showBreadcrumbs();
}

// Zooms in on a node, or out to its parent if it fills the view already.
function toggleZoom(shown) {
  if (isItem(shown)) return;
  zoomTo(shown === zoomed && !isRoot(shown) ? shown.above : shown);
}

function parentOf(shown) {
  if (isItem(shown)) return holderOf[shown];
  return shown.above || shown;
}

function firstChildOf(shown) {
  if (isItem(shown)) return shown;
  return shown.below.length ? shown.below[0] : shown.direct[0];
}

// The neighbour at the same depth, within the view.
function neighbourOf(shown, step) {
  if (isItem(shown)) return order[positionOf[shown] + step];
  const column = nodes.filter((node) =>
    node.isShown && node.depth === shown.depth && isWithin(node, zoomed));
  return column[column.indexOf(shown) + step];
}

function goToBlock(block) {
  moveTabStop(icicle, block, true);
  uncover(icicle);
}

function icicleKey(event) {
  const { shown } = event.target;
  const moves = {
    ArrowRight: () => firstChildOf(shown),
    ArrowLeft: () => parentOf(shown),
    ArrowDown: () => neighbourOf(shown, 1),
    ArrowUp: () => neighbourOf(shown, -1),
  };
  if (event.key in moves) {
    event.preventDefault();
    const target = blockOf.get(moves[event.key]());
    if (target && !target.hidden) goToBlock(target);
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    toggleZoom(shown);
  } else if (event.key === "Escape" && !isRoot(zoomed)) {
    zoomTo(zoomed.above);
    goToBlock(blockOf.get(zoomed));
  }
}

// Zooms in until the name of an item can be read.
function zoomToItem(item) {
  const readable = pathTo(holderOf[item]).find((node) => icicle.clientHeight / node.size >= NAME_HEIGHT);
  zoomTo(readable || holderOf[item]);
  const block = blockOf.get(item);
  if (!block.hidden) moveTabStop(icicle, block, false);
  uncover(icicle);
}

function drawBlocks() {
  icicle.replaceChildren(...nodes.map(nodeBlock), ...order.map(itemBlock));
  moveTabStop(icicle, blockOf.get(nodes[0]), false);
}

function startIcicle() {
  drawBlocks();
  onShown.push(() => {
    drawBlocks();
    markMatches();
    zoomTo(zoomed.isShown ? zoomed : zoomed.above);
  });
  onWidth(icicle, () => zoomTo(zoomed));
  icicle.addEventListener("keydown", icicleKey);
  icicle.addEventListener("focusin", (event) => describe(event.target.shown));
  describeOnPointer(icicle);
  icicle.addEventListener("click", (event) => {
    const block = event.target.closest(".block");
    if (!block) return;
    goToBlock(block);
    toggleZoom(block.shown);
  });
}
