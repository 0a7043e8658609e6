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

function describeNode(node) {
  const count = pluralize(node.size, "item");
  const shares = [
    ["Support", node.support],
    ["Exactly", node.exact],
  ];
  panel.replaceChildren(
    element("h3", {}, nodeBadge(node), ` ${isRoot(node) ? "All items" : `Node ${node.id}`}`),
    element("p", {}, isRoot(node) ? count : `${count}, ${percent(node.size / order.length)} of all`),
    ...shares.filter(([, share]) => share !== null)
      .map(([name, share]) => element("p", {}, `${name}: ${percent(share)}`)),
    ...(node.features.length ? [featureTable(node)] : []),
    sample(node));
}

function describeItem(item) {
  const path = element("p", { class: "path" });
  pathTo(leafOf[item]).slice(1).forEach((node, at) => path.append(at ? " › " : "In ", nodeBadge(node)));
  const rows = levels.map((level, at) => {
    const node = nodes[level.nodes[item]];
    const share = percent(level.together[item]);
    return [[{}, `at level ${at + 1}`], [{}, nodeBadge(node)],
      [{ class: "number" }, node.size === 1 ? `alone: ${share}` : share]];
  });
  panel.replaceChildren(
    element("h3", {}, thumbnail(item, "large"), itemName(item)),
    path,
    makeTable([[{}, "Together with"], [{}, "the others in"], [{ class: "number" }, "of the draws"]], rows));
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
