// Texts of the profile.
export const PROFILE = {
  "profile.title": ["我的资料", "My profile"],
  "profile.nickname": ["昵称", "Nickname"],
  "profile.avatar": ["头像", "Picture"],
  "profile.saved": ["资料已保存", "Saved"],
};
