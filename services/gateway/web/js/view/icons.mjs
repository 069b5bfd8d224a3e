// Line icons.
import { h } from "../lib/vdom.mjs";

const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h16",
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  gear: "M4 8h9M17 8h3M4 16h3M11 16h9M15 5v6M9 13v6",
  robot: "M5 9h14v10H5zM12 9V5M12 5h3M9 13v2M15 13v2",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14 6l-6 6 6 6",
  sort: "M5 18V6M5 6L2.5 9M5 6l2.5 3M11 7h9M11 12h7M11 17h4",
  save: "M12 4v10M12 14l-4-4M12 14l4-4M5 19h14",
  gift: "M4 11h16v9H4zM3 7h18v4H3zM12 7v13M12 7c-4 0-5-4-2.5-4S12 7 12 7s0-4 2.5-4S16 7 12 7",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  chart: "M5 19V11M12 19V5M19 19v-6",
  check: "M5 12.500l4.5 4.500L19 7",
  heart: "M12 20s-7.500-4.600-7.500-10A4 4 0 0 1 12 7.500a4 4 0 0 1 7.500 2.500c0 5.400-7.500 10-7.500 10z",
  eye: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  crown: "M4 8l4 4 4-7 4 7 4-4-1.5 10h-13z",
  users: "M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-4 3-6 6-6s6 2 6 6M16 5.500a3 3 0 0 1 0 5.500M18 13.500c2 .8 3 2.7 3 5.5",
  dice: "M5 5h14v14H5zM9 9h.01M15 9h.01M9 15h.01M15 15h.01M12 12h.01",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20c0-4 4-6 8-6s8 2 8 6",
  purse: "M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 7l10-3v3M16 13h.01",
  door: "M6 20V4h9v16M4 20h16M12 12h.01M18 20V8h-3",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3M12 15v2",
  clock: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 8v4l3 2",
  gem: "M7 4h10l4 6-9 10-9-10zM3 10h18M9 10l3 10 3-10-3-6z",
  card: "M5 5h14v14H5zM8 9h8M8 13h5",
  star: "M12 4l2.400 5 5.600.800-4 4 1 5.700-5-2.700-5 2.700 1-5.700-4-4 5.600-.800z",
  coin: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM9 9h6v6H9z",
  key: "M14 10a4 4 0 1 0-4 4l1 0 2 2h2v2h2v2h3v-3l-6-6zM8 9h.01",
  shield: "M12 3l7 3v6c0 5-4 8-7 9-3-1-7-4-7-9V6z",
  scales: "M12 4v16M7 20h10M5 7h14M5 7l-2.500 6h5zM19 7l-2.500 6h5z",
  device: "M7 3h10v18H7zM11 18h2",
  flag: "M6 21V4h12l-3 4 3 4H6",
  first: "M7 5v14M19 5L9 12l10 7z",
  last: "M17 5v14M5 5l10 7-10 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M8 5v14M16 5v14",
  on: "M10 6l6 6-6 6",
  share: "M7 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 11l6-4M9 13l6 4",
  lamp: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.500 11v1h7v-1A6 6 0 0 0 12 3z",
  open: "M4 18V6h6l2 2h8v10zM12 11v5M12 11l-2 2M12 11l2 2",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
};

/** An icon by name. */
export function icon(name) {
  return h(
    "svg.icon",
    { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name], fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round" }),
  );
}
