import { and, eq } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { JsonObject } from "@/server/protocol/fields";
import { freshInputIds } from "@/server/protocol/responses/input-items";
import type { BackgroundTask, Deps } from "./background-task";
import { extend, isAnswered } from "./conversation-pointer";
import { expiryAt, openEntry, partBytes } from "./entry";
import { hashOf, seal } from "./sealing";

const { storedResponses } = tables;

/** `behind`: what a response stands behind from now on, in its conversation. */
type Rewrite = {
  accountId: AccountId;
  id: string;
  said: JsonObject;
  behind?: { parentId: string | null };
};

/** The stored response of one in the background, which says now what came of it. null: it is gone. */
export async function rewrite(
  tx: Tx,
  { clock, secrets, retentionDays }: Deps,
  { accountId, id, said, behind }: Rewrite,
): Promise<JsonObject | null> {
  const isRow = and(eq(storedResponses.accountId, accountId), eq(storedResponses.hash, hashOf(id)));
  const [row] = await ormOf(tx)
    .select({ payload: storedResponses.payload })
    .from(storedResponses)
    .where(isRow)
    .for("update");
  const stored = row && (await openEntry(row.payload, { secrets, id, accountId }));
  if (!stored) {
    return null;
  }
  const response = { ...stored.response, ...said };
  const output = (response.output ?? []) as JsonObject[];
  const placed = behind && { ...behind, inputIds: freshInputIds(id, stored.input) };
  const next = { ...stored, ...placed, response, output };
  await ormOf(tx)
    .update(storedResponses)
    .set({
      payload: await seal(next, { secret: secrets[0] ?? "", id, accountId }),
      bytes: behind ? partBytes(JSON.stringify(next).length) : JSON.stringify(next).length,
      // No part of a conversation goes before it does.
      ...(behind && {
        parentHash: behind.parentId && hashOf(behind.parentId),
        expiresAt: expiryAt(clock(), { retentionDays }),
      }),
    })
    .where(isRow);
  return response;
}

/** The same at its end: what is answered is added to its conversation, if that is still there. */
export async function writeEnd(
  tx: Tx,
  deps: Deps,
  { accountId, asked, said }: Pick<BackgroundTask, "accountId" | "asked"> & Pick<Rewrite, "said">,
): Promise<JsonObject | null> {
  const { id, conversationId } = asked;
  let response: JsonObject | null = null;
  const isAdded =
    conversationId !== undefined &&
    isAnswered(said) &&
    (await extend(tx, deps, {
      ...{ accountId, id: conversationId, entryId: id },
      write: async (parentId) => {
        response = await rewrite(tx, deps, { accountId, id, said, behind: { parentId } });
        return response !== null;
      },
    }));
  return isAdded ? response : await rewrite(tx, deps, { accountId, id, said });
}
