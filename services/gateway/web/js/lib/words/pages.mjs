// Texts around every page.
export const PAGE_WORDS = {
  "pages.title": ["我的", "My pages"],
  "page.lobby": ["回大厅", "To the lobby"],
  "page.table": ["回牌桌", "To the table"],
  "page.up": ["返回", "Back"],
  "page.table.on": ["您这一桌还在打", "Your table plays on"],
  "page.table.over": ["您这一桌打完了，成绩在桌上", "Your match is over; the scores are at the table"],
  "page.room": ["您在好友房 {code}", "You are in room {code}"],
  "page.room.back": ["回房间", "To the room"],
};
