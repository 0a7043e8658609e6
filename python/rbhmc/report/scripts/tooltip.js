// The tooltip of a figure, which follows the pointer or the arrow keys.

const tooltip = byId("tooltip");

function showTooltip(x, y, ...content) {
  tooltip.replaceChildren(...content);
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const pageWidth = document.documentElement.clientWidth;
  // On the side of the mark that has room.
  const left = x + 14 + width < pageWidth ? x + 14 : x - 14 - width;
  tooltip.style.left = `${clamp(left, 8, Math.max(8, pageWidth - width - 8))}px`;
  tooltip.style.top = `${clamp(y - height / 2, 8, Math.max(8, window.innerHeight - height - 8))}px`;
}

function hideTooltip() {
  tooltip.hidden = true;
}

window.addEventListener("scroll", hideTooltip, { passive: true });

// Adds a tooltip to a figure.
//   find(x, y)      the mark at a pixel of the figure, or null
//   step(key, mark) the mark that an arrow key leads to
//   select(mark)    highlights a mark and returns [x, y, ...content]; null removes the highlight
function addTooltip(host, { find, step, select }) {
  let selected = null;
  function show(mark) {
    selected = mark;
    const described = select(mark);
    if (!described) return hideTooltip();
    const box = host.getBoundingClientRect();
    const [x, y, ...content] = described;
    return showTooltip(box.left + x, box.top + y, ...content);
  }
  function point(event) {
    const box = host.getBoundingClientRect();
    show(find(event.clientX - box.left, event.clientY - box.top));
  }
  host.addEventListener("pointermove", point);
  host.addEventListener("pointerdown", point);
  host.addEventListener("pointerleave", () => show(null));
  host.addEventListener("blur", () => show(null));
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return show(null);
    if (!event.key.startsWith("Arrow")) return undefined;
    event.preventDefault();
    return show(step(event.key, selected));
  });
}
