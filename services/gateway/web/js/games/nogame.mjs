// What stands for a game before the table has said which one it is.

/** A round of which nothing is known. */
class NoRound {
  constructor() {
    this.dealt = false;
    this.seat = -1;
    this.dealer = -1;
    this.options = {};
    this.counts = [];
    this.legal = [];
    this.hands = null;
    this.end = null;
    this.steps = 0;
  }

  add(text) {
    throw new Error(`no game is known for: ${text}`);
  }
}

const nothing = () => null;

/** A face with nothing on it. */
export const noGame = {
  name: "",
  newRound: () => new NoRound(),
  newUi: () => ({}),
  isClaim: () => false,
  hears: nothing,
  onKey: () => false,
  badge: nothing,
  field: nothing,
  ownField: nothing,
  ownFacts: nothing,
  middle: (_, words) => words,
  rack: nothing,
  buttons: nothing,
  over: nothing,
  resultTitle: nothing,
  resultBody: nothing,
  cardRow: (cards) => cards.join(" "),
  rules: nothing,
  facts: () => [],
  actionWords: (action) => action,
  emblem: () => [],
  statistics: () => [],
};
