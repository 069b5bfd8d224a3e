// The pages beside lobby and table. To add one: its line here, and what README.md says of pages.
import { HistoryControls } from "../control/history.mjs";
import { ReplayPageControls } from "../control/replaypage.mjs";
import { HallsControls } from "../control/halls.mjs";
import { LimitsControls } from "../control/limits.mjs";
import { ProfileControls } from "../control/profile.mjs";
import { RoomPageControls } from "../control/roompage.mjs";
import { SecurityControls } from "../control/security.mjs";
import { isStaff, StaffControls } from "../control/staff.mjs";
import { FriendsControls } from "../control/friends.mjs";
import { WatchControls } from "../control/watch.mjs";
import { StatisticsControls } from "../control/statistics.mjs";
import { TopUpControls } from "../control/topup.mjs";
import { WalletControls } from "../control/wallet.mjs";
import { hallsPage } from "./halls.mjs";
import { historyPage } from "./historypage.mjs";
import { replayPage } from "./replaypage.mjs";
import { limitsPage } from "./limits.mjs";
import { profilePage } from "./profile.mjs";
import { roomPage } from "./room.mjs";
import { securityPage } from "./security.mjs";
import { staffPage } from "./staff.mjs";
import { statisticsPage } from "./statistics.mjs";
import { topupPage } from "./topup.mjs";
import { walletPage } from "./wallet.mjs";
import { friendsPage } from "./friends.mjs";
import { watchPage } from "./watch.mjs";

/**
 * In the order of the menu. `name`: the address, `#<name>`; `words`: the key of its title; `view(state, controls, path)`; `control`:
 * a `PageControls`, found as `controls.pages.<name>`; `icon`: of `icons.mjs`; `only?(state)`: whether this person may see it; `isHidden?`: no
 * menu leads there.
 */
export const PAGES = [
  { name: "wallet", words: "wallet.title", icon: "purse", view: walletPage, control: WalletControls },
  { name: "halls", words: "halls.page", icon: "door", view: hallsPage, control: HallsControls },
  { name: "watch", words: "watch.title", icon: "eye", view: watchPage, control: WatchControls },
  { name: "friends", words: "friends.title", icon: "users", view: friendsPage, control: FriendsControls },
  { name: "topup", words: "topup.title", icon: "gem", view: topupPage, control: TopUpControls },
  { name: "history", words: "history.title", icon: "list", view: historyPage, control: HistoryControls },
  { name: "replay", words: "replay.title", icon: "eye", view: replayPage, control: ReplayPageControls, isHidden: true },
  { name: "room", words: "room.page", icon: "users", view: roomPage, control: RoomPageControls, isHidden: true },
  { name: "statistics", words: "statistics.title", icon: "chart", view: statisticsPage, control: StatisticsControls },
  { name: "profile", words: "profile.title", icon: "person", view: profilePage, control: ProfileControls },
  { name: "security", words: "security.title", icon: "lock", view: securityPage, control: SecurityControls },
  { name: "limits", words: "limits.title", icon: "clock", view: limitsPage, control: LimitsControls },
  { name: "staff", words: "staff.title", icon: "scales", view: staffPage, control: StaffControls, only: isStaff },
];

/** A page by its name. */
export const pageOf = (name) => PAGES.find((page) => page.name === name);

/** The pages that this person may see. */
export const pagesFor = (state) => PAGES.filter((page) => !page.isHidden && (!page.only || page.only(state)));
