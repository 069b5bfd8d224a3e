// Describe what should be on the page; `patch` changes the document to match, keeping elements (and focus) by key.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "rect", "g", "line", "text"]);
const STATE = Symbol("described");

/** A described element: `h("button.primary", {key, class, onclick, style: {"--x": 1}}, ...children)`. */
export function h(selector, props, ...children) {
  const [tag, ...classes] = selector.split(".");
  const { key = null, class: more = "", ...rest } = props ?? {};
  const names = [...classes, ...String(more).split(" ")].filter(Boolean).join(" ");
  return { tag, key, names, props: rest, children: flat(children) };
}

function flat(children) {
  const out = [];
  for (const child of children) {
    if (Array.isArray(child)) out.push(...flat(child));
    else if (child !== null && child !== undefined && child !== false && child !== true) {
      out.push(typeof child === "object" ? child : { tag: "", key: null, text: String(child) });
    }
  }
  return out;
}

/** Make the children of `parent` match `described`. */
export function patch(parent, described) {
  patchAll(parent, flat([described]));
}

function patchAll(parent, wanted) {
  // Mostly the children are the same as before: nothing is looked up for those up to the first that is not.
  let at = 0;
  let child = parent.firstChild;
  while (child && at < wanted.length && isAlike(child[STATE], wanted[at])) {
    update(child, wanted[at]);
    child = child.nextSibling;
    at += 1;
  }
  if (!child && at === wanted.length) return;
  const old = [];
  for (; child; child = child.nextSibling) old.push(child);
  const byKey = new Map(old.filter((node) => node[STATE]?.key != null).map((node) => [idOf(node[STATE]), node]));
  const used = new Set();
  for (const vnode of wanted.slice(at)) {
    let node = vnode.key != null ? byKey.get(idOf(vnode)) : nextAlike(old, used, vnode);
    if (node && !used.has(node)) {
      used.add(node);
      update(node, vnode);
    } else {
      node = create(vnode);
      used.add(node);
    }
    const here = parent.childNodes[at];
    if (here !== node) parent.insertBefore(node, here ?? null);
    at += 1;
  }
  while (parent.childNodes.length > at) parent.lastChild.remove();
}

const isAlike = (state, vnode) => state !== undefined && state.tag === vnode.tag && (state.key ?? null) === (vnode.key ?? null);

const idOf = (state) => `${state.tag}\u0000${state.key}`;

function nextAlike(old, used, vnode) {
  return old.find((node) => !used.has(node) && node[STATE]?.key == null && node[STATE]?.tag === vnode.tag);
}

function create(vnode) {
  const node =
    vnode.tag === ""
      ? document.createTextNode(vnode.text)
      : SVG_TAGS.has(vnode.tag)
        ? document.createElementNS(SVG_NAMESPACE, vnode.tag)
        : document.createElement(vnode.tag);
  node[STATE] = { tag: vnode.tag, key: vnode.key, names: "", props: {} };
  update(node, vnode);
  vnode.props?.oncreate?.(node);
  return node;
}

function update(node, vnode) {
  if (vnode.tag === "") {
    if (node.nodeValue !== vnode.text) node.nodeValue = vnode.text;
    return;
  }
  const state = node[STATE];
  if (state.names !== vnode.names) {
    node.setAttribute("class", vnode.names);
    state.names = vnode.names;
  }
  for (const name of Object.keys(state.props)) if (!(name in vnode.props)) set(node, name, undefined, state.props[name]);
  for (const [name, value] of Object.entries(vnode.props)) set(node, name, value, state.props[name]);
  state.props = vnode.props;
  if (!("raw" in vnode.props)) patchAll(node, vnode.children);
}

function set(node, name, value, before) {
  if (name === "oncreate" || name === "raw") return;
  if (name.startsWith("on")) {
    // Whatever a handler returns: `false` would cancel the event.
    if (value !== before) node[name] = value ? (event) => void value(event) : null;
  } else if (name === "style") setStyle(node, value ?? {}, before ?? {});
  else if ((name === "value" && node.tagName !== "OPTION") || name === "checked") {
    // (Of an option it is an attribute: without one its words are its value.)
    // Only a new value: what somebody is typing stays when the page is drawn again.
    if (value !== before && node[name] !== value) node[name] = value ?? "";
  } else if (value === before) return;
  else if (value === undefined || value === null || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

function setStyle(node, value, before) {
  for (const name of Object.keys(before)) if (!(name in value)) node.style.removeProperty(name);
  for (const [name, text] of Object.entries(value)) if (before[name] !== text) node.style.setProperty(name, String(text));
}
