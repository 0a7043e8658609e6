// How often two items were together, as shades of a square.

const mapHost = byId("map");
const mapCells = Math.ceil(order.length / data.block);
const shareCache = new Map();
const STRIP = 9; // pixels along the edges, in the colours of the nodes
const MOST_NAMED = 42;
let mapSide = 0;
let forward = null; // the node that is put forward

function mapShares() {
  if (!shareCache.has(level)) {
    const bytes = atob(levels[level - 1].map);
    shareCache.set(level, Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  }
  return shareCache.get(level);
}

// Only the upper triangle is stored, row by row.
function shareAt(row, column, shares = mapShares()) {
  const [i, j] = row <= column ? [row, column] : [column, row];
  return shares[i * mapCells - (i * (i - 1)) / 2 + (j - i)];
}

// The shares as they are, a pixel each: the ink's opacity, so that the page shines through.
function shadesOf(ink) {
  const small = element("canvas", { width: mapCells, height: mapCells });
  const pen = small.getContext("2d");
  const pixels = pen.createImageData(mapCells, mapCells);
  const shares = mapShares();
  for (let i = 0; i < mapCells; i += 1) {
    for (let j = 0; j < mapCells; j += 1) {
      const at = 4 * (i * mapCells + j);
      [pixels.data[at], pixels.data[at + 1], pixels.data[at + 2]] = ink;
      pixels.data[at + 3] = shareAt(i, j, shares);
    }
  }
  pen.putImageData(pixels, 0, 0);
  return small;
}

function paintMap() {
  if (!mapSide) return;
  const canvas = mapHost.querySelector("canvas");
  const dense = window.devicePixelRatio || 1;
  const side = mapSide - STRIP;
  canvas.width = Math.round(side * dense);
  canvas.height = canvas.width;
  const pen = canvas.getContext("2d");
  const ink = getComputedStyle(canvas).color.match(/\d+/g).slice(0, 3).map(Number);
  // Squares stay squares, unless there are more of them than pixels.
  pen.imageSmoothingEnabled = mapCells > canvas.width;
  pen.drawImage(shadesOf(ink), 0, 0, canvas.width, canvas.width);
}

// Frames around the nodes of the level, and their colours along the edges.
function frameMap() {
  if (!mapSide) return;
  const side = mapSide - STRIP;
  const unit = side / order.length;
  const picture = shape("svg", { viewBox: `0 0 ${mapSide} ${mapSide}`, "aria-hidden": "true" });
  nodesAtLevel().forEach((node) => {
    const [start, long] = [node.start * unit, node.size * unit];
    const kind = forward && forward !== node ? "faded" : "";
    const seam = long > 4 ? 1 : 0;
    const bar = { fill: node.color, class: kind };
    const frame = { fill: "none", stroke: node.color, "stroke-width": 2, class: kind };
    const at = STRIP + start;
    picture.append(
      shape("rect", { x: 0, y: at, width: STRIP - 3, height: long - seam, ...bar }),
      shape("rect", { x: at, y: 0, width: long - seam, height: STRIP - 3, ...bar }),
      shape("rect", { x: at, y: at, width: long, height: long, ...frame }));
  });
  picture.append(shape("rect", { class: "cursor", fill: "none", visibility: "hidden" }));
  mapHost.querySelector("svg")?.remove();
  mapHost.append(picture);
}

function cellWords(cell) {
  const first = cell * data.block;
  const last = Math.min(first + data.block, order.length) - 1;
  const made = element("span", {}, thumb(order[first]), " ", named(order[first]));
  if (last > first) made.append(last > first + 1 ? " … " : ", ", named(order[last]));
  if (last > first + 1) made.append(` (${counted(last - first + 1, "item")})`);
  return made;
}

function showCell(cell) {
  const cursor = mapHost.querySelector(".cursor");
  cursor.setAttribute("visibility", cell ? "visible" : "hidden");
  if (!cell) return null;
  const [row, column] = cell;
  const unit = ((mapSide - STRIP) * data.block) / order.length;
  const [x, y] = [STRIP + column * unit, STRIP + row * unit];
  filled(cursor, { x, y, width: unit, height: unit }, []);
  return [x + unit, y + unit / 2,
    cellWords(row),
    element("span", {}, "and ", cellWords(column)),
    element("b", {}, `together in ${percent(shareAt(row, column) / 255)} of the draws`)];
}

function cellAt(x, y) {
  const unit = ((mapSide - STRIP) * data.block) / order.length;
  const [row, column] = [Math.floor((y - STRIP) / unit), Math.floor((x - STRIP) / unit)];
  const inside = row >= 0 && column >= 0 && row < mapCells && column < mapCells;
  return inside ? [row, column] : null;
}

function stepCell(key, cell) {
  if (!cell) return [0, 0];
  const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  return cell.map((at, side) => clamp(at + by[side], 0, mapCells - 1));
}

// Puts a node forward in all figures of the level.
function putForward(node) {
  forward = node;
  fadePoints(node);
  frameMap();
}

// Names beside the map, where rows are tall enough to hold them.
function nameRows() {
  const host = byId("map-names");
  host.hidden = order.length > MOST_NAMED;
  if (!host.hidden) host.append(...order.map((item) => element("span", {}, named(item))));
}

function startMap() {
  nameRows();
  if (data.block > 1) {
    byId("map-note").textContent = `Each cell is the mean over ${data.block} neighbouring items, ` +
      `since ${order.length.toLocaleString("en")} are too many to show one by one.`;
  }
  whenSized(mapHost, (width) => {
    mapSide = width;
    paintMap();
    frameMap();
  });
  levelParts.push(paintMap, frameMap);
  letRead(mapHost, { at: cellAt, step: stepCell, show: showCell });
}
