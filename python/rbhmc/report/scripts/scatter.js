// The items as points in the first two prepared columns.

const scatter = byId("scatter");
const pointOf = new Map(); // from an item to its circle
const MAX_POINTER_DISTANCE = 24; // pixels
let positionInScatter = () => [0, 0];

function pointRadius() {
  if (order.length <= 60) return 6;
  return order.length <= 300 ? 4.5 : 3.2;
}

// One scale for both axes, since the model depends on distances.
function makeScale(width, height) {
  const { x, y } = data.plane;
  const [left, right] = rangeOf(x);
  const [low, high] = rangeOf(y);
  // The names of the axes are above and below the points.
  const scale = Math.min((width - 44) / (right - left || 1), (height - 76) / (high - low || 1));
  return (item) => [
    width / 2 + scale * (x[item] - (left + right) / 2),
    height / 2 - scale * (y[item] - (low + high) / 2),
  ];
}

function drawScatter(width) {
  const height = Math.round(Math.min(0.85 * width, 480));
  positionInScatter = makeScale(width, height);
  const [xName, yName] = data.plane.axes.map((name) => shorten(name, width / 9));
  const picture = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", "stroke-width": pointRadius() / 5,
  },
  svgElement("text", { x: width - 10, y: height - 9, class: "axis", "text-anchor": "end" }, `${xName} →`),
  svgElement("text", { x: 10, y: 19, class: "axis" }, `↑ ${yName}`));
  order.forEach((item) => {
    const [cx, cy] = positionInScatter(item);
    const point = svgElement("circle", { cx, cy, r: pointRadius(), class: "point" });
    pointOf.set(item, picture.appendChild(point));
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

function fadePoints(highlighted) {
  pointOf.forEach((point, item) => {
    point.classList.toggle("faded", highlighted !== null && nodeAt(item) !== highlighted);
  });
}

function nearestPoint(x, y) {
  let nearest = null;
  let least = MAX_POINTER_DISTANCE ** 2;
  order.forEach((item) => {
    const [px, py] = positionInScatter(item);
    const squared = (px - x) ** 2 + (py - y) ** 2;
    if (squared < least) [nearest, least] = [item, squared];
  });
  return nearest;
}

function stepPoint(key, item) {
  if (item === null) return order[0];
  const step = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  return order[clamp(positionOf[item] + step, 0, order.length - 1)];
}

function selectPoint(item) {
  scatter.querySelectorAll(".selected").forEach((old) => old.classList.remove("selected"));
  if (item === null) return null;
  const point = pointOf.get(item);
  point.classList.add("selected");
  point.parentNode.append(point); // on top of its neighbours
  return [...positionInScatter(item), thumbnail(item, "large"), itemName(item),
    element("span", {}, "in ", nodeBadge(nodeAt(item)))];
}

function startScatter() {
  if (!data.plane) {
    byId("scatter-figure").remove();
    return;
  }
  onWidth(scatter, drawScatter);
  onLevel.push(colorPoints);
  addTooltip(scatter, { find: nearestPoint, step: stepPoint, select: selectPoint });
}
