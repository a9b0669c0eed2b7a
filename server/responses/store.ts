import type { Sql } from "postgres";
import { lookUp } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import type { JsonObject } from "@/server/protocol/fields";
import { isResponseId, responseIdOf } from "@/server/protocol/responses/ids";
import { MAX_TURNS } from "./conversation-pointer";
import { itemsOf, openEntry, type ResponseOwner, type StoredResponse, sealEntry } from "./entry";
import { createRemovals, type Removals } from "./removals";
import { hashOf } from "./sealing";
import { createTrim, type TrimDeps } from "./trim";

/** Reserves room for so many bytes before they are read. Throws if there is none. */
export type Admit = (bytes: number) => Eventual<void>;

export type ResponseStore = Removals & {
  /** Whether anything is stored at all. */
  isKeeping: boolean;
  /** Skips a response that is too large, and all if nothing is stored. */
  save: (owner: ResponseOwner, stored: StoredResponse) => Promise<void>;
  /** null: unknown, expired, deleted, another account's, or only a part of a conversation. */
  find: (accountId: AccountId, id: string) => Promise<StoredResponse | null>;
  /**
   * The conversation up to and including this response, oldest first. null: a part of it is no longer known. Throws
   * conversationTooLong.
   */
  turns: (accountId: AccountId, id: string, admit: Admit) => Promise<StoredResponse[] | null>;
  /** As `turns`, as items in order. Also null for a response that is only a part of a conversation. */
  history: (accountId: AccountId, id: string, admit: Admit) => Promise<JsonObject[] | null>;
  /** The known items among these items of earlier calls and answers. */
  items: (accountId: AccountId, itemIds: string[], admit: Admit) => Promise<Map<string, JsonObject>>;
  /**
   * Deletes an account's oldest entries if it stores more than it may, after so many bytes were added. Never throws:
   * the new bytes are already stored.
   */
  makeRoom: (accountId: AccountId, added: number) => Promise<void>;
};

/** The most that the turns of a conversation may have, as JSON. */
export const MAX_CHAIN_BYTES = 16 * 1024 * 1024;

type Sized = { bytes: number };
type ResponseRow = Sized & { hash: string; payload: Buffer };

/** Checks the size before anything is opened: small compressed rows may be large. Throws conversationTooLong. */
async function measure(rows: Sized[], admit: Admit): Promise<void> {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (rows.length > MAX_TURNS || bytes > MAX_CHAIN_BYTES) {
    throw new GatewayError("conversationTooLong");
  }
  await admit(bytes);
}

/** States of a response in the background that calls cannot continue. */
const unanswered: unknown[] = ["queued", "in_progress", "failed", "cancelled"];

/** The items that are named in the request: others are neither sent nor counted. */
const namedItems = (stored: StoredResponse, itemIds: ReadonlySet<string>) =>
  itemsOf(stored).filter((item) => itemIds.has(String(item.id)));

export function createResponseStore(deps: TrimDeps): ResponseStore {
  const { db, clock, secrets, retentionDays } = deps;
  const sql = sqlOf(db) as Sql;
  const trim = createTrim(deps);

  const read = ({ payload }: ResponseRow, accountId: AccountId, id: string) =>
    openEntry(payload, { secrets, id, accountId });

  async function find(accountId: AccountId, id: string): Promise<StoredResponse | null> {
    if (!isResponseId(id) || retentionDays === 0) {
      return null;
    }
    const [row] = await lookUp(sql<ResponseRow[]>`
      select hash, payload, bytes from stored_responses
      where account_id = ${accountId} and hash = ${hashOf(id)} and conversation_hash is null
        and expires_at > ${clock()}`);
    return row ? read(row, accountId, id) : null;
  }

  /** The rows of a conversation by their hash, starting with the last one. */
  const chain = (accountId: AccountId, id: string) => sql<ResponseRow[]>`
    with recursive chain as (
      select hash, parent_hash, payload, bytes, 1 as depth, bytes::bigint as total from stored_responses
      where account_id = ${accountId} and hash = ${hashOf(id)} and expires_at > ${clock()}
      union all
      select before.hash, before.parent_hash, before.payload, before.bytes, depth + 1, total + before.bytes
      from chain join stored_responses before on before.account_id = ${accountId} and before.hash = chain.parent_hash
      where before.expires_at > ${clock()} and depth <= ${MAX_TURNS} and total <= ${MAX_CHAIN_BYTES}
    )
    select hash, payload, bytes from chain`;

  async function turns(accountId: AccountId, id: string, admit: Admit): Promise<StoredResponse[] | null> {
    if (!isResponseId(id) || retentionDays === 0) {
      return null;
    }
    const rows = new Map((await lookUp(chain(accountId, id))).map((row) => [row.hash, row]));
    await measure([...rows.values()], admit);
    const entries: StoredResponse[] = [];
    for (let next: string | null = id; next !== null; ) {
      const row = rows.get(hashOf(next));
      const stored: StoredResponse | null = row ? await read(row, accountId, next) : null;
      if (stored === null || unanswered.includes(stored.response.status)) {
        return null;
      }
      entries.push(stored);
      next = stored.parentId;
    }
    return entries.reverse();
  }

  return {
    isKeeping: retentionDays > 0,
    save: async (owner, stored) => {
      const row = retentionDays === 0 ? null : await sealEntry(deps, owner, stored);
      if (row === null) {
        return;
      }
      await lookUp(sql`
        insert into stored_responses (account_id, hash, parent_hash, key_id, bytes, payload, created_at, expires_at)
        values (${row.accountId}, ${row.hash}, ${row.parentHash}, ${row.keyId}, ${row.bytes}, ${row.payload},
          ${row.createdAt}, ${row.expiresAt})
        on conflict do nothing`);
      await trim(row.accountId, row.bytes);
    },
    find,
    makeRoom: trim,
    turns,
    history: async (accountId, id, admit) => {
      const entries = (await turns(accountId, id, admit)) ?? [];
      const isResponse = entries.at(-1)?.response.id !== undefined;
      return isResponse ? entries.flatMap(({ input, output }) => [...input, ...output]) : null;
    },
    items: async (accountId, itemIds, admit) => {
      if (retentionDays === 0) {
        return new Map();
      }
      const requestedIds = new Set(itemIds.slice(0, MAX_TURNS));
      const ids = [...new Set([...requestedIds].map(responseIdOf).filter((id) => id !== null))];
      const hashes = ids.map(hashOf);
      // Sizes first: a thousand rows may be more than there is room for.
      await measure(
        await lookUp(sql<Sized[]>`
          select bytes from stored_responses
          where account_id = ${accountId} and hash = any(${hashes}) and expires_at > ${clock()}`),
        admit,
      );
      const payloadRows = await lookUp(sql<ResponseRow[]>`
        select hash, payload, bytes from stored_responses
        where account_id = ${accountId} and hash = any(${hashes}) and expires_at > ${clock()}`);
      const rows = new Map(payloadRows.map((row) => [row.hash, row]));
      const items = new Map<string, JsonObject>();
      for (const id of ids) {
        const row = rows.get(hashOf(id));
        const stored = row ? await read(row, accountId, id) : null;
        for (const item of stored ? namedItems(stored, requestedIds) : []) {
          items.set(String(item.id), item);
        }
      }
      return items;
    },
    ...createRemovals(deps),
  };
}
