// What a wallet holds.

/** The gold in a wallet; undefined while the wallet is not known. */
export const goldIn = (wallet) => (wallet ? (wallet.balances.find((money) => money.currency === "gold")?.amount ?? 0) : undefined);
