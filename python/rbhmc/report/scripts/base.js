// What all parts share: the data, and how elements, names and numbers are made.

const data = JSON.parse(document.getElementById("data").textContent);
const { names, nodes, order, levels } = data;

// Where each item stands in the order of the tree.
const places = new Array(order.length);
order.forEach((item, place) => { places[item] = place; });

function byId(id) {
  return document.getElementById(id);
}

// Content is appended as text, never parsed: names are the user's and may hold anything.
function filled(made, attributes, content) {
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

function element(name, attributes = {}, ...content) {
  return filled(document.createElement(name), attributes, content);
}

function shape(name, attributes = {}, ...content) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, content);
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

function rangeOf(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity]);
}

function shortened(text, most) {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, Math.max(1, most - 1)).join("")}…`;
}

function counted(n, one) {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}

// A share that is not quite nothing, or not quite all, must not read as if it were.
function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  if (share < 1 && share >= 0.995) return ">99%";
  return `${Math.round(100 * share)}%`;
}

function itemsOf(node) {
  return order.slice(node.start, node.start + node.size);
}

function isLeaf(node) {
  return node.children.length === 0;
}

// Nodes from the root down to this one.
function pathTo(node) {
  const path = [node];
  while (path[0].parent >= 0) path.unshift(nodes[path[0].parent]);
  return path;
}

// Parents come before their children.
nodes.forEach((node) => { node.depth = node.parent < 0 ? 0 : nodes[node.parent].depth + 1; });

const leafOf = new Array(order.length);
nodes.filter(isLeaf).forEach((leaf) => {
  itemsOf(leaf).forEach((item) => { leafOf[item] = leaf; });
});

function title(node) {
  return node.parent < 0 ? "all" : node.id;
}

function colored(made, node) {
  made.style.setProperty("--node", node.color);
  made.style.setProperty("--on-node", node.ink);
  return made;
}

function pill(node) {
  return colored(element("span", { class: "pill" }, title(node)), node);
}

function named(item) {
  return element("span", { class: "name", dir: "auto" }, names[item]);
}

// The picture of an item, cut out of the sheet; nothing where there are no pictures.
function thumb(item, kind = "") {
  if (!data.sheet) return "";
  const { columns, rows, width, height } = data.sheet;
  const made = element("span", { class: `thumb ${kind}`, "aria-hidden": "true" });
  const share = (at, n) => (n > 1 ? (100 * at) / (n - 1) : 0);
  made.style.backgroundSize = `${100 * columns}% ${100 * rows}%`;
  made.style.backgroundPosition =
    `${share(item % columns, columns)}% ${share(Math.floor(item / columns), rows)}%`;
  made.style.aspectRatio = `${width} / ${height}`;
  // Few pixels look better as squares than blurred.
  if (Math.max(width, height) <= 32) made.style.imageRendering = "pixelated";
  return made;
}

// Calls `draw` with the width of an element, now and whenever it changes.
function whenSized(host, draw) {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(host.clientWidth);
    if (now > 0 && now !== width) {
      width = now;
      draw(width);
    }
  }).observe(host);
}

// Moves the one tab stop of a group, and optionally the focus with it.
function moveStop(host, target, focus) {
  host.querySelectorAll('[tabindex="0"]').forEach((old) => { old.tabIndex = -1; });
  target.tabIndex = 0;
  if (focus) target.focus({ preventScroll: true });
}

// Scrolls inside a box, without moving the page.
function scrollInside(box, target) {
  const outer = box.getBoundingClientRect();
  const inner = target.getBoundingClientRect();
  if (inner.top < outer.top + 8) box.scrollTop -= outer.top + 40 - inner.top;
  if (inner.bottom > outer.bottom - 8) box.scrollTop += inner.bottom - outer.bottom + 40;
}
