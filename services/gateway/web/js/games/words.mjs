// The texts of every game. A key of one game's own begins with its name.
import { WORDS as PAOHUZI } from "./paohuzi/words.mjs";
import { WORDS as KAWUXING } from "./kawuxing/words.mjs";
import { MAHJONG } from "./mahjong/words.mjs";
import { WORDS as DOUDIZHU } from "./doudizhu/words.mjs";
import { WORDS as QINGHUNPENG } from "./qinghunpeng/words.mjs";

export const GAME_WORDS = { ...PAOHUZI, ...DOUDIZHU, ...MAHJONG, ...KAWUXING, ...QINGHUNPENG };
