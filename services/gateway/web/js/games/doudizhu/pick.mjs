// Choosing cards by a finger or a mouse: a tap takes one, a stroke over several takes all of them.

/** Follow a pointer that went down on the hand; `paint(cards)` is called while it moves, `take(cards)` when it is let go. */
export function stroke(event, { paint, take }) {
  const first = cardAt(event.clientX, event.clientY);
  if (event.button !== 0 || !first) return;
  const fan = event.currentTarget;
  const order = [...fan.querySelectorAll("[data-card]")].map((node) => node.dataset.card);
  const start = order.indexOf(first);
  let cards = [first];

  const move = (now) => {
    if (now.pointerId !== event.pointerId) return;
    const at = order.indexOf(cardAt(now.clientX, now.clientY));
    if (at < 0) return;
    const next = order.slice(Math.min(start, at), Math.max(start, at) + 1);
    if (next.length !== cards.length || next[0] !== cards[0]) paint((cards = next));
  };
  const end = (now) => {
    if (now.pointerId !== event.pointerId) return;
    for (const [kind, work] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) removeEventListener(kind, work);
    paint([]);
    if (now.type === "pointerup") take(cards);
  };
  for (const [kind, work] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) addEventListener(kind, work);
  paint(cards);
}

function cardAt(x, y) {
  return document.elementFromPoint(x, y)?.closest(".poker-fan [data-card]")?.dataset.card ?? "";
}
