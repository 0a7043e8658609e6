// Items as points in the first two prepared columns.

const scatter = byId("scatter");
const pointOf = new Map();
let pointAt = () => [0, 0];

function radius() {
  if (order.length <= 60) return 6;
  return order.length <= 300 ? 4.5 : 3.2;
}

// One scale for both axes: distances are what the model sees.
function pointScale(width, height) {
  const { x, y } = data.plane;
  const [left, right] = rangeOf(x);
  const [low, high] = rangeOf(y);
  // Words stand above and below the points.
  const scale = Math.min((width - 44) / (right - left || 1), (height - 76) / (high - low || 1));
  return (item) => [
    width / 2 + scale * (x[item] - (left + right) / 2),
    height / 2 - scale * (y[item] - (low + high) / 2),
  ];
}

function drawScatter(width) {
  const height = Math.round(Math.min(0.85 * width, 480));
  pointAt = pointScale(width, height);
  const [across, up] = data.plane.axes.map((words) => shortened(words, width / 9));
  const picture = shape("svg", {
    viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", "stroke-width": radius() / 5,
  },
  shape("text", { x: width - 10, y: height - 9, class: "axis", "text-anchor": "end" }, `${across} →`),
  shape("text", { x: 10, y: 19, class: "axis" }, `↑ ${up}`));
  order.forEach((item) => {
    const [cx, cy] = pointAt(item);
    pointOf.set(item, picture.appendChild(shape("circle", { cx, cy, r: radius(), class: "point" })));
  });
  scatter.replaceChildren(picture);
  colorPoints();
  markPoints(matches);
}

function colorPoints() {
  pointOf.forEach((point, item) => point.setAttribute("fill", nodeAt(item).color));
}

function markPoints(items) {
  const marked = new Set(items);
  pointOf.forEach((point, item) => point.classList.toggle("match", marked.has(item)));
}

function fadePoints(node) {
  pointOf.forEach((point, item) => {
    point.classList.toggle("faded", node !== null && nodeAt(item) !== node);
  });
}

function nearestPoint(x, y) {
  let best = null;
  let least = 24 ** 2;
  order.forEach((item) => {
    const [px, py] = pointAt(item);
    const far = (px - x) ** 2 + (py - y) ** 2;
    if (far < least) [best, least] = [item, far];
  });
  return best;
}

function showPoint(item) {
  scatter.querySelectorAll(".shown").forEach((old) => old.classList.remove("shown"));
  if (item === null) return null;
  const point = pointOf.get(item);
  point.classList.add("shown");
  point.parentNode.append(point); // on top of its neighbours
  return [...pointAt(item), thumb(item, "large"), named(item),
    element("span", {}, "in ", pill(nodeAt(item)))];
}

function startScatter() {
  if (!data.plane) {
    byId("scatter-figure").remove();
    return;
  }
  whenSized(scatter, drawScatter);
  levelParts.push(colorPoints);
  const step = (key, item) => {
    const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    return item === null ? order[0] : order[clamp(places[item] + by, 0, order.length - 1)];
  };
  letRead(scatter, { at: nearestPoint, step, show: showPoint });
}
