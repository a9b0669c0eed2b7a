import { LRUCache } from "lru-cache";
import type { UpstreamFault } from "@/server/upstream";
import { blameOf } from "./faults";

const MAX_ACCOUNTS = 500;

/**
 * Streams that broke off after they had begun well, in a row: one that comes to its end starts anew. As with faults,
 * what an account's requests may have brought about counts against all others once.
 */
export function createStreamBreaks(most: number) {
  const rows = new LRUCache<string, number>({ max: MAX_ACCOUNTS });
  const sufferers = new Set<string>();
  let ofAll = 0;
  return {
    whole: (accountId: string): void => {
      rows.delete(accountId);
      sufferers.clear();
      ofAll = 0;
    },
    /** Whether so many broke off that the channel is to be left alone: by this account, by all. */
    broke: (accountId: string, fault: UpstreamFault): { byAccount: boolean; byAll: boolean } => {
      const blame = blameOf(fault);
      if (blame !== "channel" && blame !== "doubtful") {
        return { byAccount: false, byAll: false };
      }
      const row = (rows.get(accountId) ?? 0) + 1;
      rows.set(accountId, row);
      ofAll += blame === "channel" || !sufferers.has(accountId) ? 1 : 0;
      sufferers.add(accountId);
      return { byAccount: blame === "doubtful" && row >= most, byAll: ofAll >= most };
    },
  };
}
