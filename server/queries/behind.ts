import { findAccountNames } from "@/server/access";
import type { AccountId, ChannelId } from "@/server/base/ids";
import type { Side } from "@/server/base/roles";
import { listChannels } from "@/server/channels";
import type { Reading } from "./query";

/** A call or a task, as its row has it. */
type Served = { accountId: AccountId; channelId: ChannelId | null };

/** What operators see beside what an account's owner sees. */
type Behind = { account: { id: string; name: string }; channel: { id: string; name: string } | null };

export const distinct = <Id extends string>(ids: (Id | null)[]): Id[] => [
  ...new Set(ids.flatMap((id) => id ?? [])),
];

/** Whose each is, and which channel has it; nothing to tell to an owner. */
export async function findBehind(
  { db }: Reading,
  served: readonly Served[],
  side: Side,
): Promise<(one: Served) => Partial<Behind>> {
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
