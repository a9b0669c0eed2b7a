import { addresses } from "@/app/addresses";

type AuditTarget = { action: string; accountId: string | null; targetId: string };

/** The page of the changed object; null if it has none. */
export function hrefOf({ action, accountId, targetId }: AuditTarget): string | null {
  const account = accountId && addresses.account(accountId);
  const places: Record<string, string | null> = {
    account,
    user: account,
    key: account,
    // An account's own management keys are visible only to its owner.
    management_key: accountId === null ? addresses.managementKeys() : null,
    channel: action === "channel.remove" ? null : addresses.channel(targetId),
    model: addresses.price(targetId),
    task: addresses.allVideos({ task: targetId }),
  };
  return places[action.split(".", 1)[0] ?? ""] ?? null;
}
