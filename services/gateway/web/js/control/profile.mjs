// The own profile: what others see, and how the page looks.
import { t } from "../lib/i18n.mjs";
import { PageControls } from "./pagecontrols.mjs";

/** Things to do on the page `#profile`. */
export class ProfileControls extends PageControls {
  /** `changes`: what was chosen but not saved, by field. */
  fresh() {
    return { changes: {} };
  }

  open() {
    if (!this.state.profile) this.controls.lobby.loadProfile();
  }

  choose(field, value) {
    this.set({ changes: { ...this.own.changes, [field]: value } });
  }

  save() {
    return this.once("save", async () => {
      const { changes } = this.own;
      const { profile } = await this.call("accounts/UpdateProfile", {
        profile: { ...changes, player_id: this.state.playerId },
        update_mask: { paths: Object.keys(changes) },
      });
      this.controls.change((state) => {
        state.profile = profile;
        state.profiles.set(profile.player_id, profile);
        this.own.changes = {};
      });
      this.controls.toast(t("profile.saved"), "good");
    });
  }
}
