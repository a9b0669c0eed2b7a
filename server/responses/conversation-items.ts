import { lookUp } from "@/server/base/deadline";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { type Database, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { JsonObject } from "@/server/protocol/fields";
import { mintResponseId } from "@/server/protocol/responses/ids";
import { freshInputIds } from "@/server/protocol/responses/named-items";
import {
  brokenConversation,
  extend,
  findPlace,
  listWhole,
  lockPointer,
  MAX_TURNS,
  type StoredConversation,
  unknownConversation,
} from "./conversation-pointer";
import {
  itemsOf,
  type Keeping,
  type ResponseOwner,
  rewriteEntry,
  type StoredResponse,
  sealEntry,
} from "./entry";
import { hashOf } from "./sealing";
import { type Admit, MAX_CHAIN_BYTES, type ResponseStore } from "./store";

const { storedResponses } = tables;

/** `within`: called in the transaction that adds what was made. */
export type Adding<Made> = { within?: ((tx: Tx, made: Made) => Promise<void>) | undefined };

/** The content of conversations. Each function throws unknownConversation, like those of `ConversationStore`. */
export type ConversationItems = {
  /** All items, as context for the next call. Throws conversationTooLong. */
  history: (accountId: AccountId, id: string, admit: Admit) => Promise<JsonObject[]>;
  /** All items, each under an identifier that is unique in the conversation. */
  items: (accountId: AccountId, id: string, admit: Admit) => Promise<JsonObject[]>;
  /** Returns the items as they are listed. Throws conversationTooLong. */
  addItems: (
    owner: ResponseOwner & Adding<JsonObject[]>,
    id: string,
    input: JsonObject[],
  ) => Promise<JsonObject[]>;
  /**
   * Adds a question with its answer, once it is answered. `isStored`: it can also be retrieved as a response; if the
   * conversation has been deleted meanwhile, it is stored as a response after its own `parentId`.
   */
  addResponse: (
    owner: ResponseOwner,
    id: string,
    response: StoredResponse & { isStored: boolean },
  ) => Promise<void>;
  removeItem: (
    accountId: AccountId,
    item: { id: string; itemId: string },
    admit: Admit,
  ) => Promise<StoredConversation>;
};

export type ConversationDeps = Keeping & { db: Database; responses: ResponseStore };

/**
 * An entry of items from the client, which belongs to this conversation only. Its items get identifiers at once,
 * because positions change when items are deleted.
 */
export function entryOf(input: JsonObject[]): Omit<StoredResponse, "parentId"> & { inputIds: string[] } {
  const id = mintResponseId();
  return { id, input, inputIds: freshInputIds(id, input), output: [], response: {} };
}

/**
 * Writes an entry, and returns its size. `conversationId` null: it can also be retrieved as a response. Returns null if
 * it is too large to be kept.
 */
export async function writeEntry(
  tx: Tx,
  deps: ConversationDeps,
  {
    owner,
    conversationId,
    ...stored
  }: StoredResponse & { owner: ResponseOwner; conversationId: string | null },
): Promise<number | null> {
  const row = await sealEntry(deps, owner, stored);
  if (row === null) {
    return null;
  }
  await ormOf(tx)
    .insert(storedResponses)
    .values({ ...row, conversationHash: conversationId && hashOf(conversationId) });
  return row.bytes;
}

/** Writes an entry of items from the client. Throws conversationTooLong. */
export async function writeItems(...[tx, deps, entry]: Parameters<typeof writeEntry>): Promise<number> {
  const bytes = await writeEntry(tx, deps, entry);
  if (bytes === null) {
    throw new GatewayError("conversationTooLong");
  }
  return bytes;
}

/** All items of a conversation in their order, each with its entry and under a unique identifier. */
function listItems(turns: StoredResponse[]): { item: JsonObject; entry: StoredResponse }[] {
  const usedIds = new Set<string>();
  return turns.flatMap((entry) => itemsOf(entry, usedIds).map((item) => ({ item, entry })));
}

/**
 * The entry that has an item, and the identifiers of all items before the entry. Throws unknownConversation if no entry
 * has it.
 */
function findHolder(turns: StoredResponse[], itemId: string) {
  const holder = listItems(turns).find(({ item }) => item.id === itemId)?.entry;
  if (holder === undefined) {
    throw new GatewayError("unknownConversation", errorMessages.noConversationItem());
  }
  const before = listItems(turns.slice(0, turns.indexOf(holder)));
  return { holder, earlierIds: new Set(before.map(({ item }) => String(item.id))) };
}

/** Removes an item; the others keep their identifiers. `usedIds`: the identifiers of all items before this entry. */
function withoutItem(stored: StoredResponse, itemId: string, usedIds: Set<string>): StoredResponse {
  const listed = itemsOf(stored, usedIds);
  const isOther = ({ id }: JsonObject) => id !== itemId;
  const inputItems = listed.slice(0, stored.input.length).filter(isOther);
  return {
    ...stored,
    input: stored.input.filter((_, index) => isOther(listed[index] ?? {})),
    inputIds: inputItems.map(({ id }) => String(id)),
    output: listed.slice(stored.input.length).filter(isOther),
  };
}

/** Creates the functions on the content of conversations. */
export function createConversationItems(deps: ConversationDeps): ConversationItems {
  const { db, responses } = deps;

  async function turns(accountId: AccountId, id: string, admit: Admit): Promise<StoredResponse[]> {
    const { headId } = await findPlace(db, deps, { accountId, id });
    const entries = headId === null ? [] : await responses.turns(accountId, headId, admit);
    if (entries === null) {
      throw brokenConversation();
    }
    return entries;
  }

  return {
    history: async (accountId, id, admit) =>
      (await turns(accountId, id, admit)).flatMap(({ input, output }) => [...input, ...output]),
    items: async (accountId, id, admit) =>
      listItems(await turns(accountId, id, admit)).map(({ item }) => item),
    addItems: async ({ within, ...owner }, id, input) => {
      const { accountId } = owner;
      const entry = entryOf(input);
      const items = itemsOf({ ...entry, parentId: null });
      let added = 0;
      const isThere = await lookUp(
        transaction(db, async (tx) => {
          const isAdded = await extend(tx, deps, {
            ...{ accountId, id, entryId: entry.id },
            write: async (parentId) => {
              const rows = await listWhole(tx, accountId, parentId);
              added = await writeItems(tx, deps, { ...entry, owner, parentId, conversationId: id });
              const bytes = rows.reduce((sum, row) => sum + row.bytes, added);
              if (rows.length >= MAX_TURNS || bytes > MAX_CHAIN_BYTES) {
                throw new GatewayError("conversationTooLong");
              }
              return true;
            },
          });
          await (isAdded && within?.(tx, items));
          return isAdded;
        }),
      );
      if (!isThere) {
        throw unknownConversation();
      }
      await responses.makeRoom(accountId, added);
      return items;
    },
    addResponse: async (owner, id, { isStored, ...stored }) => {
      const { accountId } = owner;
      const inputIds = freshInputIds(stored.id, stored.input);
      const entry = { ...stored, inputIds, response: isStored ? stored.response : {} };
      const conversationId = isStored ? null : id;
      let added = 0;
      const isThere = await lookUp(
        transaction(db, (tx) =>
          extend(tx, deps, {
            ...{ accountId, id, entryId: stored.id },
            write: async (parentId) => {
              added = (await writeEntry(tx, deps, { ...entry, owner, parentId, conversationId })) ?? 0;
              // Even if the entry is too large to be kept: a conversation that lacks it must not pass for whole.
              return true;
            },
          }),
        ),
      );
      if (isThere) {
        await responses.makeRoom(accountId, added);
      } else if (isStored) {
        await responses.save(owner, entry);
      }
    },
    removeItem: async (accountId, { id, itemId }, admit) => {
      const place = { accountId, id };
      const all = await turns(accountId, id, admit);
      const { holder, earlierIds } = findHolder(all, itemId);
      const pointer = await lookUp(
        transaction(db, async (tx) => {
          const locked = await lockPointer(tx, deps, place);
          const change = (entry: StoredResponse) => withoutItem(entry, itemId, earlierIds);
          const isThere =
            locked !== null && (await rewriteEntry(tx, deps, { accountId, id: holder.id, change })) !== null;
          return isThere ? locked : null;
        }),
      );
      if (pointer === null) {
        throw unknownConversation();
      }
      const { metadata, createdAt } = pointer;
      return { id, metadata, createdAt };
    },
  };
}
