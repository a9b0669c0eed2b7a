import { type Action, type Actor, type Change, recordChange } from "@/server/audit";
import type { Queryable } from "@/server/db";
import type { Context } from "./command";

/** Whoever may run commands has no user here, and no address. */
const actor: Actor = { userId: null, name: "command", address: null };

/** What a command has changed, and what it answers. */
type Done<T> = Omit<Change, "action"> & { result: T };

/**
 * Runs a command's change and records it, both in the one transaction that `change` is given. Answers its `result`.
 */
export async function changing<T>(
  { db }: Context,
  action: Action,
  change: (db: Queryable) => Promise<Done<T>>,
): Promise<T> {
  return await db.orm.transaction(async (transaction) => {
    const { result, ...entry } = await change(transaction);
    await recordChange(transaction, { ...entry, action, actor });
    return result;
  });
}
