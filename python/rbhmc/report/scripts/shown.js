// The nodes that are shown: those with enough support. A hidden node passes its children and its
// items on to the node above it. Clusters are always shown; a remainder, whose items stay directly
// in its parent, never is.

const onShown = []; // functions to call when other nodes are shown
const holderOf = new Array(order.length); // from an item to the lowest node shown that holds it
let minSupport = 0;

function hasEnoughSupport(node) {
  if (isRoot(node) || node.is_cluster) return true;
  return !node.is_remainder && (node.support === null || node.support >= minSupport);
}

// Sets for each node: isShown; above, the node shown above it; and if it is shown, below, the nodes
// shown below it, direct, its items in none of these, and depth. Parents come before children.
function chooseNodes() {
  nodes.forEach((node) => {
    const parent = nodes[node.parent];
    node.above = parent && (parent.isShown ? parent : parent.above);
    node.isShown = hasEnoughSupport(node);
    node.depth = node.above ? node.above.depth + 1 : 0;
    [node.below, node.direct] = [[], []];
    if (node.isShown && node.above) node.above.below.push(node);
    const holder = node.isShown ? node : node.above;
    itemsOf(node).forEach((item) => { holderOf[item] = holder; });
  });
  order.forEach((item) => holderOf[item].direct.push(item));
}

// The nodes shown from the root down to a node.
function pathTo(node) {
  const path = [node];
  while (path[0].above) path.unshift(path[0].above);
  return path;
}

function describeMinSupport() {
  const nHidden = nodes.filter((node) => !node.isShown && !node.is_remainder).length;
  const text = nHidden ? `${pluralize(nHidden, "node")} hidden` : "all nodes shown";
  const said = `${Math.round(100 * minSupport)}%: ${text}`;
  byId("min-support-text").value = said;
  byId("min-support").setAttribute("aria-valuetext", said);
}

function startShown() {
  const slider = byId("min-support");
  byId("support-control").hidden = !nodes.some((node) => node.support !== null && !isRoot(node));
  slider.addEventListener("input", () => {
    minSupport = Number(slider.value) / 100;
    chooseNodes();
    describeMinSupport();
    onShown.forEach((update) => update());
  });
  chooseNodes();
  describeMinSupport();
}
