import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { Action } from "./actions";
import { difference, type View } from "./difference";

/** Who made a change: a console user by e-mail, or the operator's commands, which have no user. */
export type Actor = { userId: string | null; name: string; address: string | null };

export type Change = {
  action: Action;
  /** Whose it is; null for what belongs to the operator. */
  accountId: AccountId | null;
  /** `name` is what people call it. */
  target: { id: string; name: string };
  /** Views, never rows. What is the same on both sides is not kept. */
  before?: View;
  after?: View;
};

/**
 * Records a change. `tx` is the transaction that makes it, so that there is no change without its entry and no entry
 * without its change. A change that turned out to change nothing is recorded too: somebody asked for it.
 */
export async function recordChange(tx: Tx, entry: Change & { actor: Actor }): Promise<void> {
  await ormOf(tx)
    .insert(tables.auditEntries)
    .values({
      userId: entry.actor.userId,
      actor: entry.actor.name,
      address: entry.actor.address,
      action: entry.action,
      accountId: entry.accountId,
      targetId: entry.target.id,
      targetName: entry.target.name,
      ...difference(entry.before ?? null, entry.after ?? null),
    });
}
