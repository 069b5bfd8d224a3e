// Dragging a card out of the hand plays it.

const OUT_PX = 60;
const START_PX = 8;

/** Follow a pointer that went down on a card; `play` is called when the card is let go well above where it lay. */
export function dragStart(event, play) {
  if (event.button !== 0) return;
  const node = event.currentTarget;
  const start = { x: event.clientX, y: event.clientY };
  let moved = false;
  delete node.dataset.dragged;
  // From the start: a quick finger has left the card before its first move is told.
  node.setPointerCapture(event.pointerId);

  const move = (now) => {
    const [x, y] = [now.clientX - start.x, now.clientY - start.y];
    if (!moved && Math.hypot(x, y) < START_PX) return;
    if (!moved) {
      moved = true;
      node.dataset.dragged = "yes";
    }
    node.style.setProperty("transform", `translate(${x}px, ${y}px)`);
    node.classList.toggle("leaving", y < -OUT_PX);
  };
  const end = (now) => {
    node.removeEventListener("pointermove", move);
    node.removeEventListener("pointerup", end);
    node.removeEventListener("pointercancel", end);
    node.style.removeProperty("transform");
    node.classList.remove("leaving");
    if (moved && now.type === "pointerup" && now.clientY - start.y < -OUT_PX) play();
    setTimeout(() => delete node.dataset.dragged, 50);
  };
  node.addEventListener("pointermove", move);
  node.addEventListener("pointerup", end);
  node.addEventListener("pointercancel", end);
}
