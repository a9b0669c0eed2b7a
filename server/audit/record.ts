import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { Action } from "./actions";
import { difference, type View } from "./difference";

/** The author of a change: a console user by e-mail, or the operator's commands, which have no user. */
export type Actor = { userId: string | null; name: string; address: string | null };

export type Change = {
  action: Action;
  /** The account that the target belongs to; null for the operator's own. */
  accountId: AccountId | null;
  /** `name`: the target's name for people. */
  target: { id: string; name: string };
  /** Views, never rows. Members that are equal on both sides are not stored. */
  before?: View;
  after?: View;
};

/**
 * Records a change. `tx` is the transaction that makes it, so that change and entry are committed together. A change
 * without an effect is recorded too, because a person asked for it.
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
