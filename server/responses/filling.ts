import { LRUCache } from "lru-cache";
import type { AccountId } from "@/server/base/ids";

/** What an account has is added up once in so many parts of the most that it may have, by each process. */
const LOOKS_PER_FILLING = 16;
const WATCHED_ACCOUNTS = 10_000;

/** Whether what an account keeps is to be added up, for it has got so many bytes more. */
export function createFilling(mostBytes: number): (accountId: AccountId, added: number) => boolean {
  /** Bytes that were kept here since an account's were added up. */
  const unseen = new LRUCache<AccountId, number>({ max: WATCHED_ACCOUNTS });
  return (accountId, added) => {
    const size = (unseen.get(accountId) ?? mostBytes) + added;
    const isDue = size >= mostBytes / LOOKS_PER_FILLING;
    unseen.set(accountId, isDue ? 0 : size);
    return isDue;
  };
}
