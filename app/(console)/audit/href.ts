import { addresses } from "@/app/addresses";

type Entry = { action: string; accountId: string | null; targetId: string };

/** Where the thing that was changed is to be seen; null where there is no page of it. */
export function hrefOf({ action, accountId, targetId }: Entry): string | null {
  const account = accountId && addresses.account(accountId);
  const places: Record<string, string | null> = {
    account,
    user: account,
    key: account,
    // An account's own are its owner's to see.
    management_key: accountId === null ? addresses.managementKeys() : null,
    channel: action === "channel.remove" ? null : addresses.channel(targetId),
    model: addresses.price(targetId),
    task: addresses.allVideos({ task: targetId }),
  };
  return places[action.split(".", 1)[0] ?? ""] ?? null;
}
