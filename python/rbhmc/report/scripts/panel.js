// The panel that describes the chosen node or item.

const panel = byId("panel");
const MAX_SAMPLE = data.sprites ? 24 : 12;
let described = null;

// On a narrow page the panel covers the tree: scrolls until it does not cover the given box.
function uncover(box) {
  const covered = box.getBoundingClientRect().bottom - panel.getBoundingClientRect().top + 8;
  if (getComputedStyle(panel).bottom !== "auto" && covered > 0) {
    window.scrollBy({ top: covered, behavior: "instant" });
  }
}

function featureTable(node) {
  return makeTable(
    [[{}, "Differs most in"], [{ class: "number" }, "here"], [{ class: "number" }, "siblings"]],
    node.features.map(([feature, mean, otherMean]) => [
      [{ dir: "auto" }, feature], [{ class: "number" }, mean], [{ class: "number" }, otherMean],
    ]));
}

function sample(node) {
  const items = itemsOf(node);
  const host = element("p", { class: data.sprites ? "sample thumbnails" : "sample" });
  appendItems(host, items.slice(0, MAX_SAMPLE));
  if (items.length > MAX_SAMPLE) host.append(` and ${formatCount(items.length - MAX_SAMPLE)} more`);
  return host;
}

function describeSupport(node) {
  if (isRoot(node)) return [];
  const lines = [];
  if (node.support !== null) {
    const exactly = node.exact === null ? "" : `; exactly: in ${percent(node.exact)} of draws`;
    lines.push(
      element("p", { class: "support" }, `Support: ${percent(node.support)}`),
      element("p", { class: "note" },
        `How much of this group recurs in the draws (transfer support)${exactly}.`));
  }
  if (node.height !== null) {
    lines.push(element("p", { class: "note" }, `Formed at height ${node.height.toFixed(2)} of the dendrogram.`));
  }
  return lines;
}

function describeNode(node) {
  const count = pluralize(node.size, "item");
  const kind = isMarked(node) ? ", a cluster" : "";
  panel.replaceChildren(
    element("h3", {}, element("span", { "aria-hidden": "true" }, nodeBadge(node)),
      ` ${isRoot(node) ? "All items" : `Node ${node.id}`}`),
    element("p", {}, `${isRoot(node) ? count : `${count}, ${percent(node.size / order.length)} of all`}${kind}`),
    ...describeSupport(node),
    ...(node.features.length ? [featureTable(node)] : []),
    showsItems ? sample(node) : "");
}

function describeItem(item) {
  const path = element("p", { class: "path" });
  pathTo(holderOf[item]).slice(1).forEach((node, at) => path.append(at ? " › " : "In ", nodeBadge(node)));
  const rows = levels.map((level) => {
    const node = nodes[level.nodes[item]];
    const share = percent(level.together[item]);
    return [[{}, level.name === "the clusters" ? "its cluster" : `at ${level.name}`], [{}, nodeBadge(node)],
      [{ class: "number" }, node.size === 1 ? `alone: ${share}` : share]];
  });
  panel.replaceChildren(
    element("h3", {}, thumbnail(item, "large"), itemName(item)),
    path,
    makeTable([[{}, data.is_similarity ? "Similarity to" : "Together with"], [{}, "the others in"],
      [{ class: "number" }, data.is_similarity ? "mean" : "of the draws"]], rows));
}

function describe(shown) {
  if (shown === described) return;
  described = shown;
  panel.classList.add("chosen");
  if (isItem(shown)) describeItem(shown);
  else describeNode(shown);
}

// On pointermove, since pointerover also fires if content scrolls under a resting pointer.
function describeOnPointer(host) {
  host.addEventListener("pointermove", (event) => {
    const target = event.target.closest('[role="treeitem"]');
    if (target) describe(target.shown);
  });
}
