// Which very cards the person laid down. A play names ranks alone, so a reload or a fresh view would otherwise find other suits in the hand.
const PLACE = "paiju.doudizhu.wishes";

/** The wishes of one round, which is known by the hand it began with; this tab keeps them. */
export class Wishes {
  constructor(deal, tab = globalThis.sessionStorage) {
    Object.assign(this, { deal, tab });
    this.plays = this.kept();
  }

  kept() {
    try {
      const { deal, plays } = JSON.parse(this.tab.getItem(PLACE));
      return deal === this.deal && Array.isArray(plays) ? plays : [];
    } catch {
      return [];
    }
  }

  /** The cards wished for an own play, counted from 0. */
  of(play) {
    return Array.isArray(this.plays[play]) ? this.plays[play] : [];
  }

  keep(play, cards) {
    this.plays[play] = cards;
    try {
      this.tab.setItem(PLACE, JSON.stringify({ deal: this.deal, plays: this.plays }));
    } catch {
      // A tab that may keep nothing still knows them until it is reloaded.
    }
  }
}
