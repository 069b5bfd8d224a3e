// Texts of a stake that is short, at the table.
export const TOPUPSTAKE = {
  "short.title": ["桌上筹码不够再打一局", "Your stake does not reach for another round"],
  "short.says": ["桌上还有 {stake} 金币，至少要补 {least}，否则本场结束。剩余", "{stake} {stake|coin|coins} left at the table; add at least {least}, or the match ends. Time left:"],
  "short.gold": ["钱包里有 {gold} 金币", "{gold} gold in your wallet"],
  "short.poor": ["钱包里只有 {gold} 金币，不够补", "Only {gold} gold in your wallet: not enough"],
  "short.fill": ["补满：{coins} 金币", "Fill up: {coins} {coins|coin|coins}"],
  "short.add": ["补 {coins} 金币", "Add {coins} {coins|coin|coins}"],
  "short.decline": ["不补，结束本场", "No, end the match"],
  "short.waits": ["等待{who}补筹码，剩余", "Waiting for {who} to fill up the stake. Time left:"],
  "short.and": ["、", ", "],
  "table.fee": ["台费 {fee}/局", "Fee {fee} a round"],
  "result.fee": ["每人台费 {fee}", "fee {fee} each"],
};
