// Every text of the page: key → [Chinese, English].
import { GAME_WORDS } from "../games/words.mjs";
import { COMMON } from "./words/common.mjs";
import { FRIENDS } from "./words/friends.mjs";
import { HALLS } from "./words/halls.mjs";
import { LIMITS } from "./words/limits.mjs";
import { LOBBY } from "./words/lobby.mjs";
import { PAGE_WORDS } from "./words/pages.mjs";
import { PROFILE } from "./words/profile.mjs";
import { REPLAY } from "./words/replay.mjs";
import { RESULT } from "./words/result.mjs";
import { ROOMS } from "./words/rooms.mjs";
import { SECURITY } from "./words/security.mjs";
import { STAFF } from "./words/staff.mjs";
import { STAFFMONEY } from "./words/staffmoney.mjs";
import { STAFFPEOPLE } from "./words/staffpeople.mjs";
import { STATISTICS } from "./words/statistics.mjs";
import { TABLE } from "./words/table.mjs";
import { TOPUP } from "./words/topup.mjs";
import { TOPUPSTAKE } from "./words/topupstake.mjs";
import { WALLET } from "./words/wallet.mjs";
import { WATCH } from "./words/watch.mjs";

export const STRINGS = Object.freeze({ ...COMMON, ...LOBBY, ...TABLE, ...RESULT, ...PAGE_WORDS, ...PROFILE, ...FRIENDS, ...HALLS, ...WALLET, ...TOPUP, ...TOPUPSTAKE, ...ROOMS, ...SECURITY, ...LIMITS, ...STAFF, ...REPLAY, ...STAFFMONEY, ...STAFFPEOPLE, ...STATISTICS, ...WATCH, ...GAME_WORDS });
