// The level that figures and ranking show, its sliders and legend, and the ranking of items. Before
// the levels of a tree may come its clusters.

let level = 1; // from 1
const onLevel = []; // functions to call when the level changes
const legend = byId("legend");
const ranking = byId("ranking");
const MAX_LEGEND_NODES = 40;

function nodeAt(item) {
  return nodes[levels[level - 1].nodes[item]];
}

// The nodes of the level, in the order of the tree.
function nodesAtLevel() {
  return [...new Set(order.map(nodeAt))];
}

function setLevel(newLevel) {
  level = newLevel;
  const { name } = levels[level - 1];
  const isLevel = name.startsWith("level ");
  const nLevels = levels.filter((each) => each.name.startsWith("level ")).length;
  const what = isLevel ? `${name.slice("level ".length)} of ${nLevels}` : name;
  const text = `${what}: ${pluralize(nodesAtLevel().length, "node")}`;
  document.querySelectorAll(".level-control").forEach((control) => {
    control.querySelector("input").value = String(level);
    control.querySelector("input").setAttribute("aria-valuetext", name);
    control.querySelector("output").value = text;
  });
  onLevel.forEach((update) => update());
}

function addSlider(control, number) {
  const id = `level-${number}`;
  const slider = element("input", {
    type: "range", id, min: "1", max: String(levels.length), step: "1", value: "1",
  });
  slider.disabled = levels.length === 1;
  slider.addEventListener("input", () => setLevel(Number(slider.value)));
  control.append(element("label", { for: id }, "Level"), slider, element("output", { for: id }));
}

// Buttons that highlight one series: under the pointer or focus, and until the next click.
function makeLegend(host, entries, highlight) {
  let pinned = null;
  const buttons = entries.map(({ key, content, attributes = {} }) => {
    const button = element("button", { type: "button", "aria-pressed": "false", ...attributes }, ...content);
    ["pointerenter", "focus"].forEach((name) => button.addEventListener(name, () => highlight(key)));
    ["pointerleave", "blur"].forEach((name) => button.addEventListener(name, () => highlight(pinned)));
    button.addEventListener("click", () => {
      pinned = pinned === key ? null : key;
      buttons.forEach((each) => {
        each.setAttribute("aria-pressed", String(each === button && pinned !== null));
      });
      highlight(pinned);
    });
    return button;
  });
  host.replaceChildren(...buttons);
}

function showLegend() {
  const here = nodesAtLevel();
  highlightNode(null);
  if (here.length > MAX_LEGEND_NODES) {
    legend.replaceChildren(element("p", { class: "note" },
      `${here.length} nodes are too many for a legend: point at an item to see its node.`));
    return;
  }
  makeLegend(legend, here.map((node) => ({
    key: node,
    content: [nodeBadge(node), ` ${formatCount(node.size)}`],
    attributes: { "aria-label": `${nodeLabel(node)}, ${pluralize(node.size, "item")}` },
  })), highlightNode);
}

function nodeShare(text, node, share) {
  if (node === null) return element("span", {});
  return element("span", { class: "share" }, `${text} `, nodeBadge(node), ` ${percent(share)}`);
}

// The bar is full if the item could as well be in another node.
function rankedLine({ item, text, share, home_share: homeShare, other, other_share: otherShare }) {
  const bar = element("span", { class: "bar" }, element("span", {}, text));
  bar.style.setProperty("--share", `${100 * share}%`);
  return element("li", {},
    element("span", { class: "who" }, thumbnail(item), itemName(item)),
    bar,
    nodeShare("in", nodeAt(item), homeShare),
    nodeShare("or", other === null ? null : nodes[other], otherShare));
}

function showRanking() {
  const rows = levels[level - 1].uncertain;
  ranking.replaceChildren(...rows.map(rankedLine));
  if (!rows.length) {
    ranking.append(element("li", { class: "none" }, "No item is uncertain at this level."));
  }
}

function startLevels() {
  document.querySelectorAll(".level-control").forEach(addSlider);
  onLevel.push(showLegend, showRanking);
}
