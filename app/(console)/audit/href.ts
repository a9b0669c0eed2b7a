type Entry = { action: string; accountId: string | null; targetId: string };

/** Where the thing that was changed is to be seen; null where there is no page of it. */
export function hrefOf({ action, accountId, targetId }: Entry): string | null {
  const id = encodeURIComponent(targetId);
  const account = accountId && `/accounts/${encodeURIComponent(accountId)}`;
  const places: Record<string, string | null> = {
    account,
    user: account,
    key: account,
    channel: action === "channel.remove" ? null : `/channels/${id}`,
    model: `/prices/model?id=${id}`,
    task: `/all-videos?task=${id}`,
  };
  return places[action.split(".", 1)[0] ?? ""] ?? null;
}
