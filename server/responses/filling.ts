import { createRecent } from "@/server/base/recent";
import type { AccountId } from "@/server/domain/ids";

/** How often each process adds up an account's stored bytes while the account fills its whole limit. */
const LOOKS_PER_FILLING = 16;
const WATCHED_ACCOUNTS = 10_000;

/** Makes a function that tells whether an account's stored bytes must be added up again, after so many were added. */
export function createFilling(mostBytes: number): (accountId: AccountId, added: number) => boolean {
  /** Bytes stored by this process since an account's bytes were last added up. */
  const unseen = createRecent<AccountId, number>(WATCHED_ACCOUNTS);
  return (accountId, added) => {
    const size = (unseen.get(accountId) ?? mostBytes) + added;
    const isDue = size >= mostBytes / LOOKS_PER_FILLING;
    unseen.set(accountId, isDue ? 0 : size);
    return isDue;
  };
}
