// Where the keyboard goes on.

/** For `oncreate`: focus an element once it is in the document, which it is not yet when it is made. */
export const takeFocus = (node) => queueMicrotask(() => node.focus({ preventScroll: true }));
