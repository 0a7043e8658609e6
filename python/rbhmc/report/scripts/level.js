// The level that figures and ranking show: one value behind all sliders.

let level = 1;
const levelParts = []; // what is to be told of a new level
const legend = byId("legend");
const MOST_IN_LEGEND = 40;

function nodeAt(item) {
  return nodes[levels[level - 1].nodes[item]];
}

// The nodes of the level, in the order of the tree.
function nodesAtLevel() {
  return [...new Set(order.map(nodeAt))];
}

function setLevel(wanted) {
  level = wanted;
  const words = `${level} of ${levels.length}: ${counted(nodesAtLevel().length, "node")}`;
  document.querySelectorAll(".level-control").forEach((control) => {
    control.querySelector("input").value = String(level);
    control.querySelector("output").value = words;
  });
  levelParts.forEach((tell) => tell());
}

function levelControl(control, number) {
  const id = `level-${number}`;
  const slider = element("input", {
    type: "range", id, min: "1", max: String(levels.length), step: "1", value: "1",
  });
  slider.disabled = levels.length === 1;
  slider.addEventListener("input", () => setLevel(Number(slider.value)));
  control.append(element("label", { for: id }, "Level"), slider, element("output", { for: id }));
}

// Buttons that put one series forward: for a moment under the pointer, to stay by a click.
function makeLegend(host, entries, put) {
  let kept = null;
  const buttons = entries.map(({ key, content }) => {
    const button = element("button", { type: "button", "aria-pressed": "false" }, ...content);
    button.addEventListener("pointerenter", () => put(key));
    button.addEventListener("focus", () => put(key));
    button.addEventListener("pointerleave", () => put(kept));
    button.addEventListener("blur", () => put(kept));
    button.addEventListener("click", () => {
      kept = kept === key ? null : key;
      buttons.forEach((each) => {
        each.setAttribute("aria-pressed", String(each === button && kept !== null));
      });
      put(kept);
    });
    return button;
  });
  host.replaceChildren(...buttons);
}

function levelLegend() {
  const here = nodesAtLevel();
  putForward(null);
  if (here.length > MOST_IN_LEGEND) {
    legend.replaceChildren(element("p", { class: "note" },
      `${here.length} nodes are too many for a legend: point at an item to see its node.`));
    return;
  }
  makeLegend(legend, here.map((node) => ({
    key: node, content: [pill(node), ` ${node.size.toLocaleString("en")}`],
  })), putForward);
}

function startLevels() {
  document.querySelectorAll(".level-control").forEach(levelControl);
  levelParts.push(levelLegend);
}
