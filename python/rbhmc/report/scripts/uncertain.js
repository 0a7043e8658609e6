// The ranking of the items that the draws agree on least, at the level of the slider.

const ranking = byId("ranking");

function withNode(words, node, share) {
  if (node === null) return element("span", {});
  const often = share === null ? "alone" : percent(share);
  return element("span", { class: "with" }, `${words} `, pill(node), ` ${often}`);
}

function rankedLine({ item, score, own, next, share }) {
  const bar = element("span", { class: "bar" }, element("span", {}, score.toFixed(2)));
  bar.style.setProperty("--share", `${100 * score}%`);
  return element("li", {},
    element("span", { class: "who" }, thumb(item), named(item)),
    bar,
    withNode("with", nodeAt(item), own),
    withNode("or", next === null ? null : nodes[next], share));
}

function rank() {
  const rows = levels[level - 1].uncertain;
  ranking.replaceChildren(...rows.map(rankedLine));
  if (!rows.length) {
    ranking.append(element("li", { class: "none" }, "All draws agree on every item at this level."));
  }
}

function startRanking() {
  levelParts.push(rank);
}
