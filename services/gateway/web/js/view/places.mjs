// The regions and dialects that a profile may name, as accounts knows them (a test compares).

export const REGIONS = [
  "CN-BJ", "CN-TJ", "CN-HE", "CN-SX", "CN-NM", "CN-LN", "CN-JL", "CN-HL", "CN-SH", "CN-JS", "CN-ZJ",
  "CN-AH", "CN-FJ", "CN-JX", "CN-SD", "CN-HA", "CN-HB", "CN-HN", "CN-GD", "CN-GX", "CN-HI", "CN-CQ",
  "CN-SC", "CN-GZ", "CN-YN", "CN-XZ", "CN-SN", "CN-GS", "CN-QH", "CN-NX", "CN-XJ", "CN-TW", "CN-HK",
  "CN-MO",
];

export const DIALECTS = [
  "putonghua", "beijing", "dongbei", "jiaoliao", "zhongyuan", "lanyin", "jianghuai", "xinan", "wuhan",
  "sichuan", "jin", "wu", "hui", "gan", "xiang", "changsha", "hengyang", "min", "minnan", "kejia", "yue",
  "pinghua",
];
