import { LRUCache } from "lru-cache";
import type { UpstreamFault } from "@/server/upstream";
import { blameOf } from "./faults";

const MAX_ACCOUNTS = 500;

/**
 * Counts streams in a row that broke off after they had begun well; a complete stream resets the count. As with other
 * faults, a fault that one account's requests may cause counts once per account toward all.
 */
export function createStreamBreaks(limit: number) {
  const rows = new LRUCache<string, number>({ max: MAX_ACCOUNTS });
  const sufferers = new Set<string>();
  let ofAll = 0;
  return {
    whole: (accountId: string): void => {
      rows.delete(accountId);
      sufferers.clear();
      ofAll = 0;
    },
    /** Whether enough streams broke off to skip the channel: for this account, for all accounts. */
    broke: (accountId: string, fault: UpstreamFault): { byAccount: boolean; byAll: boolean } => {
      const blame = blameOf(fault);
      if (blame !== "channel" && blame !== "doubtful") {
        return { byAccount: false, byAll: false };
      }
      const row = (rows.get(accountId) ?? 0) + 1;
      rows.set(accountId, row);
      ofAll += blame === "channel" || !sufferers.has(accountId) ? 1 : 0;
      sufferers.add(accountId);
      return { byAccount: blame === "doubtful" && row >= limit, byAll: ofAll >= limit };
    },
  };
}
