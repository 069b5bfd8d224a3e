// In which order a game's hand lies.

/** The order that was chosen for a game, else its first one. */
export function orderOf(state, face) {
  const kept = state.settings.orders[face.name];
  return face.orders.includes(kept) ? kept : face.orders[0];
}

/** Choose an order for a game. */
export function setOrder(controls, state, face, order) {
  controls.setting("orders", { ...state.settings.orders, [face.name]: order });
}

/** The order after the present one. */
export function nextOrder(state, face) {
  return face.orders[(face.orders.indexOf(orderOf(state, face)) + 1) % face.orders.length];
}
