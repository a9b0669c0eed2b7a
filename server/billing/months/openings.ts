import type { Payer } from "./months";

type KeyMonth = Pick<Payer, "accountId" | "period" | "keyId" | "keyCap">;

/** The months that a payer needs: the account's, and the key's if it has a cap. */
const nameOf = ({ accountId, period, keyId, keyCap }: KeyMonth): string =>
  [accountId, period, keyCap === null ? "" : keyId].join(" ");

/**
 * Opens months once for all calls that need them at the same time. The first calls of an account's month come together,
 * and an opening takes several statements: one for each call would fill the pool of connections, for seconds if the
 * database is far away. A failure is that of all calls that wait for it; the next call tries again.
 */
export function createOpenings<P extends KeyMonth>(open: (purse: P) => Promise<void>) {
  const underWay = new Map<string, Promise<void>>();
  return (purse: P): Promise<void> => {
    const name = nameOf(purse);
    const opening = underWay.get(name) ?? open(purse).finally(() => underWay.delete(name));
    underWay.set(name, opening);
    return opening;
  };
}
