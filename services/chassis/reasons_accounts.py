"""Reasons of accounts: a section of the one table, `reasons.REASONS`."""

from __future__ import annotations

from services.chassis.reason import Reason

ACCOUNTS: dict[str, Reason] = {
    "CHALLENGE_INVALID": Reason(
        "FAILED_PRECONDITION",
        "登录验证已失效，请重试。",
        "The challenge was used, has expired, or is another key's.",
    ),
    "SIGNATURE_INVALID": Reason("UNAUTHENTICATED", "签名不正确。", "The signature does not fit the key."),
    "TOO_MANY_NEW_PLAYERS": Reason(
        "RESOURCE_EXHAUSTED",
        "此网络注册的新玩家过多，请稍后再试。",
        "Too many new players from this network; try again later.",
    ),
    "SESSION_REVOKED": Reason(
        "UNAUTHENTICATED", "登录已失效，请重新登录。", "The session has ended; sign in again."
    ),
    "NICKNAME_LENGTH": Reason(
        "INVALID_ARGUMENT", "昵称须为 1 到 {most} 个字。", "A nickname has 1 to {most} characters."
    ),
    "NICKNAME_CHARACTERS": Reason(
        "INVALID_ARGUMENT", "昵称含有不能使用的字符。", "The nickname has characters that names can't have."
    ),
    "NICKNAME_RESERVED": Reason(
        "INVALID_ARGUMENT", "昵称含有保留词语。", "The nickname has words that are kept for the house."
    ),
    "AVATAR_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "没有这个头像（{known}）。", "There is no such picture ({known})."
    ),
    "PROFILE_CHANGED": Reason(
        "ABORTED", "资料已在别处修改，请刷新后再试。", "The profile was changed elsewhere; read it again."
    ),
    "LOGIN_NAME_INVALID": Reason(
        "INVALID_ARGUMENT",
        "登录名须为 3 到 32 个字符：小写字母、数字、_ - .，以字母或数字开头。",
        "A login name has 3 to 32 characters: letters a-z, digits, _ - and ., the first a letter or digit.",
    ),
    "LOGIN_NAME_TAKEN": Reason("ALREADY_EXISTS", "这个登录名已被使用。", "This login name is taken."),
    "PASSWORD_WEAK": Reason(
        "INVALID_ARGUMENT",
        "密码须为 {least} 到 {most} 个字符，不能太常见，也不能含有登录名。",
        "A password has {least} to {most} characters, is not common, and does not hold the login name.",
    ),
    "PASSWORD_WRONG": Reason("PERMISSION_DENIED", "当前密码不正确。", "The current password is not right."),
    "SIGN_IN_WRONG": Reason(
        "UNAUTHENTICATED", "登录名或密码不正确。", "The login name or the password is not right."
    ),
    "SIGN_IN_BUSY": Reason(
        "RESOURCE_EXHAUSTED",
        "登录人数过多，请稍后再试。",
        "Too many are signing in at this moment; try again.",
    ),
    "KEY_TAKEN": Reason(
        "ALREADY_EXISTS",
        "此设备已属于另一账号，请先在该设备上退出并换用新的密钥。",
        "The key of this device is a way into another account; use a new key.",
    ),
    "TOO_MANY_KEYS": Reason(
        "RESOURCE_EXHAUSTED", "最多可绑定 {most} 台设备。", "At most {most} device keys belong to an account."
    ),
    "LAST_WAY_IN": Reason(
        "FAILED_PRECONDITION",
        "这是唯一的登录方式，请先添加另一种。",
        "This is the only way into the account; add another first.",
    ),
    "OIDC_UNKNOWN": Reason("NOT_FOUND", "没有这个登录服务。", "There is no such sign-in provider."),
    "OIDC_FLOW_INVALID": Reason(
        "FAILED_PRECONDITION",
        "登录请求已失效，请重新开始。",
        "This sign-in was finished already, has expired, or was begun elsewhere; begin again.",
    ),
    "OIDC_REFUSED": Reason(
        "UNAUTHENTICATED", "登录服务没有确认你的身份。", "The provider did not confirm who you are."
    ),
    "IDENTITY_TAKEN": Reason(
        "ALREADY_EXISTS",
        "这个外部账号已绑定另一名玩家。",
        "This identity is a way into another player's account.",
    ),
    "IDENTITY_ALREADY_LINKED": Reason(
        "FAILED_PRECONDITION",
        "已绑定该服务的另一个账号，请先解除。",
        "Another identity of this provider is linked already; remove it first.",
    ),
    "HOMEPAGE_INVALID": Reason(
        "INVALID_ARGUMENT",
        "主页须为不超过 {most} 个字符的 https 网址。",
        "A homepage is an https address of at most {most} characters.",
    ),
    "REGION_UNKNOWN": Reason("INVALID_ARGUMENT", "没有这个地区。", "There is no such region."),
    "CITY_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "该地区没有这个城市。", "There is no such city in this region."
    ),
    "DIALECT_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "没有这种方言（{known}）。", "There is no such dialect; there are {known}."
    ),
    "THEME_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "没有这种主题（{known}）。", "There is no such theme; there are {known}."
    ),
    "NICKNAME_STAFF": Reason(
        "INVALID_ARGUMENT", "昵称与工作人员相似。", "The nickname looks like that of a member of staff."
    ),
    "STAFF_NAME_ALIKE": Reason(
        "FAILED_PRECONDITION",
        "另有 {others} 人的昵称与之相似；工作人员的昵称须独一无二，请先换一个。",
        "{others} others have a nickname that looks like it. That of a member of staff is like no other: "
        "another one is taken first.",
    ),
    "NICKNAME_MISMATCH": Reason(
        "FAILED_PRECONDITION",
        "昵称输入不正确，账号未删除。",
        "That is not the nickname; nothing was deleted.",
    ),
    "ACCOUNT_SUSPENDED": Reason(
        "PERMISSION_DENIED",
        "账号已被停用，原因：{why}（解除时间：{until}）。",
        "The account is suspended until {until}: {why}.",
    ),
    "ACCOUNT_DELETED": Reason("NOT_FOUND", "此账号已删除。", "This account was deleted."),
    "STAFF_CANT_LEAVE": Reason(
        "FAILED_PRECONDITION",
        "工作人员须先交还权限。",
        "A member of staff gives back the roles before the account is deleted or suspended.",
    ),
    "ROLE_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "没有这个角色（{known}）。", "There is no such role; there are {known}."
    ),
    "LAST_ADMIN": Reason(
        "FAILED_PRECONDITION", "不能撤销最后一名管理员。", "The last admin can't be taken away here."
    ),
    "API_KEY_INVALID": Reason("UNAUTHENTICATED", "接口密钥无效。", "The API key is not valid."),
    "TOO_MANY_API_KEYS": Reason(
        "RESOURCE_EXHAUSTED", "最多可有 {most} 个接口密钥。", "A player has at most {most} API keys."
    ),
    "QUOTA_TOO_HIGH": Reason(
        "PERMISSION_DENIED",
        "额度过高：每分钟最多 {per_minute}，每天最多 {per_day}。",
        "The quota is too high: at most {per_minute} a minute and {per_day} a day.",
    ),
    "SCOPE_UNKNOWN": Reason(
        "INVALID_ARGUMENT", "没有这种权限（{known}）。", "There is no such scope; there are {known}."
    ),
    "FRIEND_SELF": Reason("INVALID_ARGUMENT", "不能对自己这样做。", "That can't be done with oneself."),
    "FRIEND_ONLY": Reason("FAILED_PRECONDITION", "只能邀请好友。", "Only friends can be invited."),
    "FRIEND_BLOCKED": Reason(
        "FAILED_PRECONDITION", "你已拉黑此人，请先解除。", "You have blocked this person; unblock first."
    ),
    "FRIEND_REQUEST_GONE": Reason(
        "FAILED_PRECONDITION",
        "此好友申请已撤回或过期。",
        "This request was taken back, or its time is over.",
    ),
    "FRIENDS_FULL": Reason(
        "RESOURCE_EXHAUSTED", "好友最多 {most} 人。", "You can have {most} friends at most."
    ),
    "FRIEND_HAS_ENOUGH": Reason(
        "RESOURCE_EXHAUSTED", "对方的好友已满。", "This person has as many friends as one can have."
    ),
    "FRIEND_REQUESTS_FULL": Reason(
        "RESOURCE_EXHAUSTED",
        "等待回复的好友申请最多 {most} 个，可先撤回一些。",
        "At most {most} of your requests can wait at once; take some back first.",
    ),
    "FRIEND_INBOX_FULL": Reason(
        "RESOURCE_EXHAUSTED",
        "对方待处理的好友申请过多，请以后再试。",
        "Too many requests wait for this person; try again later.",
    ),
    "FRIEND_ASKS_SPENT": Reason(
        "RESOURCE_EXHAUSTED",
        "每天最多发出 {most} 个好友申请，请明天再试。",
        "At most {most} requests can be sent in a day; try again tomorrow.",
    ),
    "FRIEND_BLOCKS_FULL": Reason(
        "RESOURCE_EXHAUSTED", "最多拉黑 {most} 人。", "You can block {most} people at most."
    ),
    "NICKNAME_NOT_UNIQUE": Reason(
        "FAILED_PRECONDITION",
        "有多人使用这个昵称，请从列表中选择。",
        "Several people are called so; choose from those that are found.",
    ),
    "UNTIL_PAST": Reason("INVALID_ARGUMENT", "时间须在将来。", "The time must be in the future."),
    "SELF_EXCLUDED": Reason(
        "FAILED_PRECONDITION",
        "你已自我禁玩，{again}（北京时间）起才能再玩。",
        "You have excluded yourself; you may play again from {again} (Beijing time).",
    ),
    "OUTSIDE_PLAY_WINDOW": Reason(
        "FAILED_PRECONDITION",
        "现在不是未成年人可以玩的时段，下次可玩：{again}（北京时间）。",
        "Minors may not play at this time; you may play again from {again} (Beijing time).",
    ),
    "DAILY_TIME_REACHED": Reason(
        "FAILED_PRECONDITION",
        "今天的游戏时间已用完，{again}（北京时间）起可以再玩。",
        "Your time to play today is used up; you may play again from {again} (Beijing time).",
    ),
    "DAILY_LOSS_REACHED": Reason(
        "FAILED_PRECONDITION",
        "今天输的金币已到限额，{again}（北京时间）起可以再玩。",
        "You have lost today what your limit allows; you may play again from {again} (Beijing time).",
    ),
    "AGE_NOT_DECLARED": Reason(
        "FAILED_PRECONDITION",
        "请先在“防沉迷”页面填写年龄段，然后才能玩。",
        "Say how old you are on the page of limits before you play.",
    ),
    "PROTECTION_UNAVAILABLE": Reason(
        "FAILED_PRECONDITION",
        "暂时无法确认你的游戏时间和限额，请稍后再试。",
        "Whether you may play can't be known at the moment; try again.",
    ),
    "AGE_DECLARED": Reason(
        "FAILED_PRECONDITION",
        "年龄段已经填写，只有客服可以更改。",
        "You have said how old you are; only support can change it.",
    ),
    "EXCLUSION_STANDS": Reason(
        "FAILED_PRECONDITION",
        "自我禁玩不能提前结束，只能延长。",
        "A self-exclusion can't be ended early; it only gets longer.",
    ),
    "EXCLUSION_TOO_SHORT": Reason(
        "INVALID_ARGUMENT",
        "自我禁玩至少 {hours} 小时。",
        "A self-exclusion lasts {hours} hours at least.",
    ),
    "EXCLUSION_TOO_LONG": Reason(
        "INVALID_ARGUMENT",
        "自我禁玩最长 {days} 天。",
        "A self-exclusion lasts {days} days at most.",
    ),
    "SPENDING_NOT_ALLOWED": Reason(
        "FAILED_PRECONDITION",
        "你所在的年龄段不能充值。",
        "At your age nothing can be bought.",
    ),
    "SPENDING_TOO_MUCH_AT_ONCE": Reason(
        "FAILED_PRECONDITION",
        "超过你所在年龄段单次充值的上限。",
        "This is more than may be paid at once at your age.",
    ),
    "SPENDING_MONTH_REACHED": Reason(
        "FAILED_PRECONDITION",
        "超过你所在年龄段每月充值的上限。",
        "This is more than may be paid in a month at your age.",
    ),
}
