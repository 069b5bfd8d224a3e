// What the controls of all pages share.

/** Controls of one page. Its own part of the state is `state.pages[name]`, at first what `fresh()` returns. */
export class PageControls {
  constructor(controls, name) {
    Object.assign(this, { controls, name });
    controls.state.pages[name] = this.fresh();
  }

  /** The page's own part of the state before anything is known. */
  fresh() {
    return {};
  }

  /** The page is shown, another path of it, or again after the connection was lost: load what it shows. */
  open(_path) {}

  get state() {
    return this.controls.state;
  }

  get own() {
    return this.state.pages[this.name];
  }

  /** Change the page's own part of the state. */
  set(changes) {
    this.controls.change(() => Object.assign(this.own, changes));
  }

  call(short, request) {
    return this.controls.call(short, request);
  }

  /** Load one part; a failure is kept in `state.failed` under the name, for `waitFor`. */
  part(name, work) {
    return this.controls.lobby.part(`${this.name}.${name}`, work);
  }

  /** Do one thing at a time (`state.busy` has `<page>.<name>`); a failure becomes a toast and undefined. */
  once(name, work) {
    return this.controls.once(`${this.name}.${name}`, work);
  }

  isBusy(name) {
    return this.state.busy.has(`${this.name}.${name}`);
  }
}
