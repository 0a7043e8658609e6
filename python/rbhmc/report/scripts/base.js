// The data of the page, and helpers that all scripts share.

const data = JSON.parse(document.getElementById("data").textContent);
const { names, nodes, order, levels } = data;

// The position of each item in the order of the tree.
const positionOf = new Array(order.length);
order.forEach((item, position) => { positionOf[item] = position; });

// Whether items are shown by names or pictures; numbers of rows would say nothing.
const showsItems = data.has_names || Boolean(data.sprites);

function byId(id) {
  return document.getElementById(id);
}

// Content is appended as text and never parsed: names come from the user and may hold anything.
function fill(host, attributes, content) {
  for (const [key, value] of Object.entries(attributes)) {
    host.setAttribute(key, value);
  }
  host.append(...content);
  return host;
}

function element(name, attributes = {}, ...content) {
  return fill(document.createElement(name), attributes, content);
}

function svgElement(name, attributes = {}, ...content) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, content);
}

// A table of rows of cells; a head or a cell is [attributes, ...content], and the first cell of a
// row is its heading.
function makeTable(heads, rows) {
  const head = heads.map(([attributes, ...content]) => element("th", { scope: "col", ...attributes }, ...content));
  const body = rows.map(([[attributes, ...content], ...cells]) => element("tr", {},
    element("th", { scope: "row", ...attributes }, ...content),
    ...cells.map(([each, ...rest]) => element("td", each, ...rest))));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

function rangeOf(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity]);
}

function shorten(text, maxLetters) {
  const letters = [...text];
  if (letters.length <= maxLetters) return text;
  return `${letters.slice(0, Math.max(1, maxLetters - 1)).join("")}…`;
}

function formatCount(n) {
  return n.toLocaleString("en");
}

function pluralize(n, singular) {
  return `${formatCount(n)} ${singular}${n === 1 ? "" : "s"}`;
}

// Only 0 and 1 themselves are written as 0% and 100%.
function percent(share) {
  if (share > 0 && share < 0.005) return "<1%";
  if (share < 1 && share >= 0.995) return ">99%";
  return `${Math.round(100 * share)}%`;
}

function itemsOf(node) {
  return order.slice(node.start, node.start + node.size);
}

function isRoot(node) {
  return node.parent < 0;
}

// Tree and blocks show nodes, which are objects, and items, which are numbers.
function isItem(shown) {
  return typeof shown === "number";
}

function badgeText(node) {
  if (!node.is_remainder) return isRoot(node) ? "all" : node.id;
  const parent = nodes[node.parent];
  return isRoot(parent) ? "rest" : `${parent.id} rest`;
}

// Clusters are marked if they are not simply the leaves.
function isMarked(node) {
  return data.marks_clusters && node.is_cluster;
}

function colorBy(host, node) {
  host.style.setProperty("--node", node.color);
  host.style.setProperty("--on-node", node.text_color);
  return host;
}

// What a screen reader says in place of the id alone.
function nodeLabel(node) {
  return isRoot(node) ? "all items" : `node ${badgeText(node)}`;
}

function nodeBadge(node) {
  const said = { role: "img", "aria-label": nodeLabel(node) };
  const badge = colorBy(element("span", { class: "badge", ...said }, badgeText(node)), node);
  badge.classList.toggle("cluster", isMarked(node));
  badge.classList.toggle("uncertain", node.is_uncertain);
  return badge;
}

function itemName(item) {
  return element("span", { class: "name", dir: "auto" }, names[item]);
}

// The thumbnail of an item, cut out of the sprite sheet; nothing if there are no pictures.
function thumbnail(item, kind = "") {
  if (!data.sprites) return "";
  const { columns, rows, width, height } = data.sprites;
  const host = element("span", { class: `thumbnail ${kind}`, "aria-hidden": "true" });
  const offset = (at, n) => (n > 1 ? (100 * at) / (n - 1) : 0);
  host.style.backgroundSize = `${100 * columns}% ${100 * rows}%`;
  host.style.backgroundPosition =
    `${offset(item % columns, columns)}% ${offset(Math.floor(item / columns), rows)}%`;
  host.style.aspectRatio = `${width} / ${height}`;
  // Small pictures look better as squares than blurred.
  if (Math.max(width, height) <= 32) host.style.imageRendering = "pixelated";
  return host;
}

// Appends the thumbnails of items, or their names with commas between them.
function appendItems(host, items) {
  items.forEach((item, at) => {
    if (data.sprites) host.append(thumbnail(item));
    else host.append(at ? ", " : "", itemName(item));
  });
  return host;
}

// Calls `draw` with the width of an element, now and whenever it changes.
function onWidth(host, draw) {
  let width = 0;
  new ResizeObserver(() => {
    const current = Math.floor(host.clientWidth);
    if (current > 0 && current !== width) {
      width = current;
      draw(width);
    }
  }).observe(host);
}

// Moves the one tab stop of a group, and optionally the focus with it.
function moveTabStop(host, target, focus) {
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
