// The traces: a chart for each log likelihood and each learned parameter, a line for each chain.

const traces = byId("traces");
const CHART = { height: 190, left: 58, right: 26, top: 12, bottom: 30 };
const TRACE_TITLES = { RCDLL: "RCDLL: log likelihood, regularised", CDLL: "CDLL: log likelihood" };

// About `n` round numbers between two others.
function ticks(low, high, n) {
  const rough = (high - low) / n || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const values = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) values.push(k * step);
  return values;
}

function traceChart({ name, chains }, width) {
  const { height, left, right, top, bottom } = CHART;
  const { n_draws: nDraws, step, colors } = data.traces;
  const [low, high] = rangeOf(chains.flat().filter((value) => value !== null));
  const toX = (draw) => left + ((width - left - right) * (draw - 1)) / Math.max(nDraws - 1, 1);
  const toY = (value) => top + ((height - top - bottom) * (high - value)) / (high - low || 1);
  const label = (x, y, anchor, text) => svgElement("text", { x, y, class: "axis", "text-anchor": anchor }, text);
  const chart = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${name} of every chain, draw by draw`,
  });
  ticks(low, high, 4).forEach((value) => chart.append(
    svgElement("line", { x1: left, x2: width - right, y1: toY(value), y2: toY(value), class: "grid" }),
    label(left - 8, toY(value) + 4, "end", value.toLocaleString("en"))));
  chart.append(label(left, height - 9, "start", "draw"));
  ticks(1, nDraws, 4).forEach((draw) => chart.append(
    label(toX(draw), height - 9, "middle", formatCount(draw))));
  chains.forEach((values, chain) => {
    const points = values.flatMap((value, at) => (value === null ? [] : [
      `${toX(1 + at * step).toFixed(1)},${toY(value).toFixed(1)}`,
    ]));
    const line = svgElement("polyline", { points: points.join(" "), class: "trace", "data-chain": chain });
    line.style.setProperty("--series", colors[chain]);
    chart.append(line);
  });
  return chart;
}

function drawTraces(width) {
  traces.replaceChildren(...data.traces.series.map((series) => element("figure", {},
    element("h3", {}, TRACE_TITLES[series.name] ?? `${series.name}, learned`),
    traceChart(series, width))));
}

function highlightChain(chain) {
  traces.querySelectorAll(".trace").forEach((line) => {
    line.classList.toggle("faded", chain !== null && Number(line.dataset.chain) !== chain);
  });
}

function startTraces() {
  makeLegend(byId("chain-legend"), data.traces.colors.map((color, chain) => {
    const swatch = element("span", { class: "swatch" });
    swatch.style.setProperty("--series", color);
    return { key: chain, content: [swatch, ` ${data.traces.names[chain]}`] };
  }), highlightChain);
  onWidth(traces, drawTraces);
}
