// The own profile: what others see, and how the page looks.
import { t } from "../lib/i18n.mjs";
import { currentLooks, setLooks, THEMES } from "../lib/theme.mjs";
import { Refused } from "../net/refused.mjs";
import { PageControls } from "./pagecontrols.mjs";

/** Which field a refusal is about. */
const FIELD_OF = {
  NICKNAME_LENGTH: "nickname",
  NICKNAME_CHARACTERS: "nickname",
  NICKNAME_RESERVED: "nickname",
  NICKNAME_STAFF: "nickname",
  HOMEPAGE_INVALID: "homepage",
  STAFF_NAME_ALIKE: "nickname",
  REGION_UNKNOWN: "region",
  CITY_UNKNOWN: "city",
  DIALECT_UNKNOWN: "dialect",
};

/** Things to do on the page `#profile`. */
export class ProfileControls extends PageControls {
  /**
   * `changes`: what was chosen but not saved, by field; `refused`: `{field, words}` of what the service did not take;
   * `cities`: where within a region one may say to be from, once the service has told.
   */
  fresh() {
    return { changes: {}, refused: null, statistics: null, ratings: null, cities: null };
  }

  open() {
    this.controls.lobby.loadProfile();
    if (!this.state.games) this.controls.lobby.loadGames();
    this.loadStatistics();
    if (!this.own.cities) this.part("cities", async () => this.set({ cities: (await this.call("accounts/ListProfileChoices")).cities }));
    this.part("ratings", async () => this.set({ ratings: (await this.call("progress/ListRatings", { player_id: this.state.playerId })).ratings }));
  }

  close() {
    this.set({ changes: {}, refused: null });
  }

  loadStatistics() {
    return this.part("statistics", async () => this.set({ statistics: (await this.call("progress/GetStatistics", { player_id: this.state.playerId })).statistics }));
  }

  /** A field was changed; back to what it was, it is no change. */
  choose(field, value) {
    const { profile } = this.state;
    const changes = { ...this.own.changes, [field]: value };
    // A city lies in one region: with another it is nothing, with the old one it is the old one.
    if (field === "region") changes.city = value === (profile.region ?? "") ? (profile.city ?? "") : "";
    for (const name of ["city", field]) if ((profile[name] ?? "") === changes[name]) delete changes[name];
    this.set({ changes, refused: this.own.refused?.field === field ? null : this.own.refused });
  }

  save() {
    return this.once("save", async () => {
      const { changes } = this.own;
      try {
        this.took(await this.update(changes, this.state.profile.version));
        this.set({ changes: {}, refused: null });
        this.controls.toast(t("profile.saved"), "good");
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (error.reason === "PROFILE_CHANGED") await this.takeNewest();
        else if (FIELD_OF[error.reason]) this.set({ refused: { field: FIELD_OF[error.reason], words: error.words } });
        else throw error;
      }
    });
  }

  /** Somebody (this person, elsewhere) was faster: what he did not touch here is as it is now. */
  async takeNewest() {
    await this.controls.lobby.loadProfile();
    this.controls.toast(t("profile.elsewhere"));
  }

  /** `version`: of the profile that was changed, 0 = whatever it is now. */
  async update(changes, version = 0) {
    const { profile } = await this.call("accounts/UpdateProfile", {
      profile: { ...changes, player_id: this.state.playerId, version },
      update_mask: { paths: Object.keys(changes) },
    });
    return profile;
  }

  took(profile) {
    this.controls.change((state) => {
      state.profile = profile;
      state.profiles.set(profile.player_id, profile);
    });
  }

  /** By day or by night: seen at once, and kept with the account for other devices. */
  theme(theme) {
    setLooks({ theme });
    this.controls.change();
    return this.once("theme", async () => this.took(await this.update({ theme })));
  }

  felt(felt) {
    setLooks({ felt });
    this.controls.change();
  }

  /** The profile has come: the account's theme is that of this device too. */
  follow(profile) {
    if (THEMES.includes(profile.theme) && profile.theme !== currentLooks().theme) setLooks({ theme: profile.theme });
  }
}
