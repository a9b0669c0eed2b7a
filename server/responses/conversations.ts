import type { Sql } from "postgres";
import { lookUp } from "@/server/base/deadline";
import { tables, transaction } from "@/server/db";
import { ormOf, sqlOf } from "@/server/db/handles";
import { sweepExpired } from "@/server/db/lease";
import type { AccountId } from "@/server/domain/ids";
import type { JsonObject } from "@/server/protocol/fields";
import { mintConversationId } from "@/server/protocol/responses/ids";
import {
  type Adding,
  type ConversationDeps,
  type ConversationItems,
  createConversationItems,
  entryOf,
  writeItems,
} from "./conversation-items";
import {
  findPlace,
  isThis,
  listWhole,
  lockPointer,
  type Metadata,
  type StoredConversation,
  sealPointer,
  unknownConversation,
} from "./conversation-pointer";
import { expiryAt, type ResponseOwner } from "./entry";
import { createFilling } from "./filling";
import { hashOf } from "./sealing";
import { forget, forgetSurplus, MOST_CONVERSATIONS, pointerBytes } from "./trim";

const { conversations } = tables;

/** Each function throws unknownConversation if the account does not have the conversation, or a part of it is gone. */
export type ConversationStore = ConversationItems & {
  create: (
    owner: ResponseOwner,
    fields: { metadata: Metadata; input: JsonObject[] } & Adding<StoredConversation>,
  ) => Promise<StoredConversation>;
  get: (accountId: AccountId, id: string) => Promise<StoredConversation>;
  update: (accountId: AccountId, id: string, metadata: Metadata) => Promise<StoredConversation>;
  /** Deletes a conversation with the entries that only it has, even if a part is gone. */
  remove: (accountId: AccountId, id: string) => Promise<void>;
  /** Deletes expired conversations; returns how many. */
  sweep: () => Promise<number>;
};

export function createConversationStore(deps: ConversationDeps): ConversationStore {
  const { db, clock, log, responses } = deps;
  const _sql = sqlOf(db) as Sql;
  const isOver = createFilling(MOST_CONVERSATIONS);

  async function get(accountId: AccountId, id: string): Promise<StoredConversation> {
    const { headId, metadata, createdAt } = await findPlace(db, deps, { accountId, id });
    await lookUp(listWhole(db, accountId, headId));
    return { id, metadata, createdAt };
  }

  return {
    ...createConversationItems(deps),
    get,
    create: async (owner, { metadata, input, within }) => {
      const { accountId, keyId } = owner;
      const id = mintConversationId();
      const createdAt = clock();
      const entry = { ...entryOf(input), owner, parentId: null, conversationId: id };
      const headId = input.length > 0 ? entry.id : null;
      const payload = await sealPointer({ headId, metadata }, deps, { accountId, id });
      const added = await lookUp(
        transaction(db, async (tx) => {
          await ormOf(tx)
            .insert(conversations)
            .values({
              ...{ accountId, keyId, hash: hashOf(id), payload, createdAt },
              expiresAt: expiryAt(createdAt, deps),
            });
          const bytes = headId === null ? 0 : await writeItems(tx, deps, entry);
          await within?.(tx, { id, metadata, createdAt });
          return bytes + pointerBytes(payload);
        }),
      );
      await responses.makeRoom(accountId, added);
      if (isOver(accountId, 1)) {
        await forgetSurplus(db, accountId).catch((error: unknown) => {
          // The new conversation is stored all the same.
          log.warn({ accountId, err: error }, "an account's oldest conversations are still kept");
        });
      }
      return { id, metadata, createdAt };
    },
    update: async (accountId, id, metadata) => {
      const { createdAt } = await get(accountId, id);
      const place = { accountId, id };
      const added = await lookUp(
        transaction(db, async (tx) => {
          const pointer = await lockPointer(tx, deps, place);
          if (pointer === null) {
            throw unknownConversation();
          }
          const payload = await sealPointer({ ...pointer, metadata }, deps, place);
          await ormOf(tx).update(conversations).set({ payload }).where(isThis(place));
          return pointerBytes(payload);
        }),
      );
      await responses.makeRoom(accountId, added);
      return { id, metadata, createdAt };
    },
    remove: async (accountId, id) => {
      await findPlace(db, deps, { accountId, id });
      await lookUp(transaction(db, (tx) => forget(tx, accountId, [hashOf(id)])));
    },
    sweep: () => sweepExpired(db, conversations, { now: clock() }),
  };
}
