// The chains: a chart for each likelihood and each learned parameter, a line for each chain.

const traces = byId("traces");
const CHART = { height: 190, left: 58, right: 26, top: 12, bottom: 30 };

// About `n` round numbers between two others.
function ticks(low, high, n) {
  const rough = (high - low) / n || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
  return found;
}

function traceChart({ name, chains }, width) {
  const { height, left, right, top, bottom } = CHART;
  const known = chains.flat().filter((value) => value !== null);
  const [low, high] = rangeOf(known);
  const last = data.traces.n_draws;
  const toX = (draw) => left + ((width - left - right) * (draw - 1)) / Math.max(last - 1, 1);
  const toY = (value) => top + ((height - top - bottom) * (high - value)) / (high - low || 1);
  const words = (x, y, anchor, text) => shape("text", { x, y, class: "axis", "text-anchor": anchor }, text);
  const picture = shape("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name} of every chain, draw by draw`,
  });
  ticks(low, high, 4).forEach((value) => picture.append(
    shape("line", { x1: left, x2: width - right, y1: toY(value), y2: toY(value), class: "grid" }),
    words(left - 8, toY(value) + 4, "end", value.toLocaleString("en"))));
  picture.append(words(left, height - 9, "start", "draw"));
  ticks(1, last, 4).forEach((draw) => picture.append(
    words(toX(draw), height - 9, "middle", draw.toLocaleString("en"))));
  chains.forEach((values, chain) => {
    const points = values.flatMap((value, at) => (value === null ? [] : [
      `${toX(1 + at * data.traces.step).toFixed(1)},${toY(value).toFixed(1)}`,
    ]));
    const line = shape("polyline", { points: points.join(" "), class: "trace", "data-chain": chain });
    line.style.setProperty("--series", data.traces.colors[chain]);
    picture.append(line);
  });
  return picture;
}

function drawTraces(width) {
  traces.replaceChildren(...data.traces.series.map((series) => {
    const words = { RCDLL: "RCDLL: log likelihood, regularised", CDLL: "CDLL: log likelihood" };
    return element("figure", {}, element("h3", {}, words[series.name] ?? `${series.name}, learned`), traceChart(series, width));
  }));
}

function putChainForward(chain) {
  traces.querySelectorAll(".trace").forEach((line) => {
    line.classList.toggle("faded", chain !== null && Number(line.dataset.chain) !== chain);
  });
}

function startTraces() {
  makeLegend(byId("chain-legend"), data.traces.colors.map((color, chain) => {
    const swatch = element("span", { class: "swatch" });
    swatch.style.setProperty("--series", color);
    return { key: chain, content: [swatch, ` ${data.traces.names[chain]}`] };
  }), putChainForward);
  whenSized(traces, drawTraces);
}
