// Which page the address asks for: `#wallet`, `#wallet/round/<id>`, none. Back, a reload and a link work as anywhere.

/** The parts of a fragment: `#wallet/round/m_1%2F2` (or `#/wallet/…`) → `["wallet", "round", "m_1/2"]`; `[]` for what is no address of a page. */
export function partsOf(hash) {
  const parts = hash.replace(/^#\/?/, "").split("/");
  if (!/^[a-z]+$/.test(parts[0])) return [];
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** The fragment of a page: what `partsOf` takes apart. */
export const hashOf = (...parts) => `#${parts.map((part) => encodeURIComponent(part)).join("/")}`;

/** The fragment of a table that is watched: a reload, and whoever gets the link, watches it too. */
export const hashOfWatched = (tableId) => `#watch=${tableId}`;

/** Takes the page of the address into the state, and the other way round. */
export class Router {
  /** `pages` is the registry; each entry's control is told when its page opens and closes. */
  constructor(controls, pages, frame = globalThis) {
    Object.assign(this, { controls, pages, frame });
    this.runs = false;
  }

  /** Who is here and where he sits is known: show what the address asks for, and follow it from now on. */
  start() {
    if (!this.runs) this.frame.addEventListener("hashchange", () => this.moved());
    this.runs = true;
    this.follow();
  }

  /** The address has changed while the page is open: to a page, or to a table that is to be watched. */
  moved() {
    this.controls.lobby.followWatched();
    this.follow();
  }

  /** Before anything is known: what the page of the address can ask for by itself already. */
  ahead() {
    const [name, ...path] = partsOf(this.frame.location.hash);
    this.controls.pages[name]?.ahead?.(path);
  }

  /** The page that is open, as the registry has it; undefined: none. */
  get page() {
    const { page } = this.controls.state;
    return page ? this.pages.find((one) => one.name === page.name) : undefined;
  }

  /** Show what the address asks for; an address that is no page, or not for this person, shows lobby or table. */
  follow() {
    const [name, ...path] = partsOf(this.frame.location.hash);
    const wanted = this.pages.find((one) => one.name === name);
    const may = wanted && (!wanted.only || wanted.only(this.controls.state));
    this.show(may ? { name, path } : null);
  }

  /** Open a page by its parts: `go("wallet")`, `go("wallet", "round", id)`. */
  go(...parts) {
    this.frame.history.pushState(null, "", hashOf(...parts));
    this.follow();
  }

  /** To the lobby, or to the table where one is live. */
  home() {
    if (!this.controls.state.page) return;
    this.frame.history.pushState(null, "", this.bare);
    this.follow();
  }

  /** A table opens: it comes before every page, and Back must not lead from it into one. One that is watched is in the address. */
  giveWay(watched = "") {
    if (watched) this.frame.history.replaceState(null, "", hashOfWatched(watched));
    else if (this.frame.location.hash) this.frame.history.replaceState(null, "", this.bare);
    this.show(null);
  }

  /** The table that the address asks to watch; "" = none. */
  get watched() {
    return /^#watch=([0-9a-z-]+)$/.exec(this.frame.location.hash)?.[1] ?? "";
  }

  /** No table is watched any more. */
  unwatch() {
    if (this.watched) this.frame.history.replaceState(null, "", this.bare);
  }

  get bare() {
    return this.frame.location.pathname + this.frame.location.search;
  }

  show(next) {
    const { state } = this.controls;
    const before = state.page;
    const isSame = hashOf(before?.name ?? "", ...(before?.path ?? [])) === hashOf(next?.name ?? "", ...(next?.path ?? []));
    if (before && before.name !== next?.name) this.controls.pages[before.name].close?.();
    this.controls.change(() => {
      state.page = next;
      if (!isSame) state.dialog = null;
    });
    if (!isSame) this.frame.scrollTo?.(0, 0);
    if (next) this.controls.pages[next.name].open(next.path);
    else if (before && !state.table) this.controls.lobby.loadWallet();
  }
}
