// The co-occurrence of items as a heat map, in the order of the tree.

const mapHost = byId("map");
const nCells = Math.ceil(order.length / data.cell_size);
const decodedMaps = new Map(); // by level
const STRIP = 9; // pixels along the edges, in the colours of the nodes
const MAX_NAMED_ITEMS = 42;
let mapSide = 0;
let highlighted = null; // a node

function mapShares() {
  if (!decodedMaps.has(level)) {
    const bytes = atob(data.maps[levels[level - 1].map]);
    decodedMaps.set(level, Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  }
  return decodedMaps.get(level);
}

// The map holds the upper triangle, row by row.
function shareAt(row, column, shares = mapShares()) {
  const [i, j] = row <= column ? [row, column] : [column, row];
  return shares[i * nCells - (i * (i - 1)) / 2 + (j - i)];
}

// One pixel for each cell; the share is the opacity, so that the background shows through.
function makeShades(color) {
  const small = element("canvas", { width: nCells, height: nCells });
  const context = small.getContext("2d");
  const pixels = context.createImageData(nCells, nCells);
  const shares = mapShares();
  for (let i = 0; i < nCells; i += 1) {
    for (let j = 0; j < nCells; j += 1) {
      const at = 4 * (i * nCells + j);
      [pixels.data[at], pixels.data[at + 1], pixels.data[at + 2]] = color;
      pixels.data[at + 3] = shareAt(i, j, shares);
    }
  }
  context.putImageData(pixels, 0, 0);
  return small;
}

function paintMap() {
  if (!mapSide) return;
  const canvas = mapHost.querySelector("canvas");
  const side = mapSide - STRIP;
  canvas.width = Math.round(side * (window.devicePixelRatio || 1));
  canvas.height = canvas.width;
  const context = canvas.getContext("2d");
  const color = getComputedStyle(canvas).color.match(/\d+/g).slice(0, 3).map(Number);
  // Cells have sharp edges, unless there are more cells than pixels.
  context.imageSmoothingEnabled = nCells > canvas.width;
  context.drawImage(makeShades(color), 0, 0, canvas.width, canvas.width);
}

// Frames around the nodes of the level, and their colours along the edges.
function frameNodes() {
  if (!mapSide) return;
  const unit = (mapSide - STRIP) / order.length;
  const picture = svgElement("svg", { viewBox: `0 0 ${mapSide} ${mapSide}`, "aria-hidden": "true" });
  nodesAtLevel().forEach((node) => {
    const [at, length] = [STRIP + node.start * unit, node.size * unit];
    const kind = highlighted && highlighted !== node ? "faded" : "";
    const gap = length > 4 ? 1 : 0;
    const bar = { fill: node.color, class: kind };
    const frame = { fill: "none", stroke: node.color, "stroke-width": 2, class: kind };
    picture.append(
      svgElement("rect", { x: 0, y: at, width: STRIP - 3, height: length - gap, ...bar }),
      svgElement("rect", { x: at, y: 0, width: length - gap, height: STRIP - 3, ...bar }),
      svgElement("rect", { x: at, y: at, width: length, height: length, ...frame }));
  });
  picture.append(svgElement("rect", { class: "cursor", fill: "none", visibility: "hidden" }));
  mapHost.querySelector("svg")?.remove();
  mapHost.append(picture);
}

function cellSide() {
  return ((mapSide - STRIP) * data.cell_size) / order.length;
}

// The items of a row or column of cells: all of up to two, or the first, the last and the number.
function cellItems(cell) {
  const first = cell * data.cell_size;
  const last = Math.min(first + data.cell_size, order.length) - 1;
  const host = element("span", {}, thumbnail(order[first]), " ", itemName(order[first]));
  if (last > first) host.append(last > first + 1 ? " … " : ", ", itemName(order[last]));
  if (last > first + 1) host.append(` (${pluralize(last - first + 1, "item")})`);
  return host;
}

function selectCell(cell) {
  const cursor = mapHost.querySelector(".cursor");
  cursor.setAttribute("visibility", cell ? "visible" : "hidden");
  if (!cell) return null;
  const [row, column] = cell;
  const side = cellSide();
  const [x, y] = [STRIP + column * side, STRIP + row * side];
  const share = percent(shareAt(row, column) / 255);
  fill(cursor, { x, y, width: side, height: side }, []);
  return [x + side, y + side / 2,
    cellItems(row),
    element("span", {}, "and ", cellItems(column)),
    element("b", {}, data.is_similarity ? `similarity ${share}` : `together in ${share} of the draws`)];
}

function findCell(x, y) {
  const side = cellSide();
  const [row, column] = [Math.floor((y - STRIP) / side), Math.floor((x - STRIP) / side)];
  const isInside = row >= 0 && column >= 0 && row < nCells && column < nCells;
  return isInside ? [row, column] : null;
}

function stepCell(key, cell) {
  if (!cell) return [0, 0];
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  return cell.map((at, axis) => clamp(at + steps[key][axis], 0, nCells - 1));
}

// Highlights a node in all figures of the level.
function highlightNode(node) {
  highlighted = node;
  fadePoints(node);
  frameNodes();
}

function startMap() {
  const nameColumn = byId("map-names");
  nameColumn.hidden = !data.has_names || order.length > MAX_NAMED_ITEMS;
  if (!nameColumn.hidden) {
    nameColumn.append(...order.map((item) => element("span", {}, itemName(item))));
  }
  if (data.cell_size > 1) {
    byId("map-note").textContent = `Each cell is the mean over ${data.cell_size} neighbouring items, ` +
      `since ${formatCount(order.length)} are too many to show one by one.`;
  }
  onWidth(mapHost, (width) => {
    mapSide = width;
    paintMap();
    frameNodes();
  });
  onLevel.push(paintMap, frameNodes);
  addTooltip(mapHost, { find: findCell, step: stepCell, select: selectCell });
}
