// A small note beside the pointer or the keyboard's mark in a figure.

const tip = byId("tip");

function showTip(x, y, ...content) {
  tip.replaceChildren(...content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  // Beside the mark, on the side where there is room for it.
  const left = x + 14 + width < room ? x + 14 : x - 14 - width;
  tip.style.left = `${clamp(left, 8, Math.max(8, room - width - 8))}px`;
  tip.style.top = `${clamp(y - height / 2, 8, Math.max(8, window.innerHeight - height - 8))}px`;
}

function hideTip() {
  tip.hidden = true;
}

window.addEventListener("scroll", hideTip, { passive: true });

// Lets a figure be read by pointer and by keyboard.
//   at(x, y)      what is at a place of the figure, in its own pixels, or null
//   step(key, at) where an arrow key leads from there
//   show(at)      marks it and returns [x, y, ...content of the tip]; null unmarks
function letRead(host, { at, step, show }) {
  let shown = null;
  function read(found) {
    shown = found;
    const told = show(found);
    if (!told) return hideTip();
    const box = host.getBoundingClientRect();
    const [x, y, ...content] = told;
    return showTip(box.left + x, box.top + y, ...content);
  }
  function point(event) {
    const box = host.getBoundingClientRect();
    read(at(event.clientX - box.left, event.clientY - box.top));
  }
  host.addEventListener("pointermove", point);
  host.addEventListener("pointerdown", point);
  host.addEventListener("pointerleave", () => read(null));
  host.addEventListener("blur", () => read(null));
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return read(null);
    if (!event.key.startsWith("Arrow")) return undefined;
    event.preventDefault();
    return read(step(event.key, shown));
  });
}
