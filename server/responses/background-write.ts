import type { Tx } from "@/server/db";
import type { AccountId } from "@/server/domain/ids";
import type { JsonObject } from "@/server/protocol/fields";
import { freshInputIds } from "@/server/protocol/responses/named-items";
import type { BackgroundDeps, BackgroundTask } from "./background-task";
import { extend, isAnswered } from "./conversation-pointer";
import { expiryAt, rewriteEntry, type StoredResponse } from "./entry";

/** `behind`: the response's predecessor in its conversation. */
type Rewrite = {
  accountId: AccountId;
  id: string;
  patch: JsonObject;
  behind?: { parentId: string | null };
};

/** Writes the result into the stored response of one in the background. null: the row is gone. */
export async function rewrite(
  tx: Tx,
  deps: BackgroundDeps,
  { accountId, id, patch, behind }: Rewrite,
): Promise<JsonObject | null> {
  const change = (stored: StoredResponse): StoredResponse => {
    const response = { ...stored.response, ...patch };
    const output = (response.output ?? []) as JsonObject[];
    const placed = behind && { ...behind, inputIds: freshInputIds(id, stored.input) };
    return { ...stored, ...placed, response, output };
  };
  // No part of a conversation expires before it.
  const columns = behind && { expiresAt: expiryAt(deps.clock(), deps) };
  const written = await rewriteEntry(tx, deps, { accountId, id, change, columns });
  return written?.response ?? null;
}

/** Writes the end of a response: an answer is added to its conversation, if that still exists. */
export async function writeEnd(
  tx: Tx,
  deps: BackgroundDeps,
  { accountId, request, patch }: Pick<BackgroundTask, "accountId" | "request"> & Pick<Rewrite, "patch">,
): Promise<JsonObject | null> {
  const { id, conversationId } = request;
  let response: JsonObject | null = null;
  const isAdded =
    conversationId !== undefined &&
    isAnswered(patch) &&
    (await extend(tx, deps, {
      ...{ accountId, id: conversationId, entryId: id },
      write: async (parentId) => {
        response = await rewrite(tx, deps, { accountId, id, patch, behind: { parentId } });
        return response !== null;
      },
    }));
  return isAdded ? response : await rewrite(tx, deps, { accountId, id, patch });
}
