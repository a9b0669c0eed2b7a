import { findAccountNames } from "@/server/access";
import { listChannels } from "@/server/channels";
import type { AccountId, ChannelId } from "@/server/domain/ids";
import type { Side } from "@/server/domain/roles";
import type { QueryContext } from "./query";

/** The owner and channel of a call or a task, as in its row. */
type CallOrigin = { accountId: AccountId; channelId: ChannelId | null };

/** Members that operators see in addition. */
type Behind = { account: { id: string; name: string }; channel: { id: string; name: string } | null };

export const distinct = <Id extends string>(ids: (Id | null)[]): Id[] => [
  ...new Set(ids.flatMap((id) => id ?? [])),
];

/** The account and the channel of each call or task; nothing for an owner. */
export async function findBehind(
  { db }: QueryContext,
  served: readonly CallOrigin[],
  side: Side,
): Promise<(call: CallOrigin) => Partial<Behind>> {
  if (side !== "operator") {
    return () => ({});
  }
  const accounts = await findAccountNames(db, distinct(served.map(({ accountId }) => accountId)));
  const channels = new Map((await listChannels(db)).map(({ id, name }) => [id, name]));
  return ({ accountId, channelId }) => ({
    account: { id: accountId, name: accounts.get(accountId) ?? "" },
    channel: channelId && { id: channelId, name: channels.get(channelId) ?? "" },
  });
}
