// What a wallet holds.

/** The gold in a wallet; undefined while the wallet is not known. */
export const goldIn = (wallet) => (wallet ? (wallet.balances.find((money) => money.currency === "gold")?.amount ?? 0) : undefined);

/** What a wallet holds of a currency; undefined while the wallet is not known. */
export const balanceOf = (wallet, currency) => (wallet ? (wallet.balances.find((money) => money.currency === currency)?.amount ?? 0) : undefined);
