import type { Sql } from "postgres";
import type { Clock } from "@/server/base/clock";
import { lookUp } from "@/server/base/deadline";
import { GatewayError } from "@/server/base/errors";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { inTurns } from "@/server/base/turns";
import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { JsonObject } from "@/server/protocol/fields";
import { printInSteps } from "@/server/protocol/json-print";
import { isResponseId, responseIdOf } from "@/server/protocol/responses/ids";
import { namedInput } from "@/server/protocol/responses/input-items";
import { createFilling } from "./filling";
import { hashOf, open, seal } from "./sealing";

/** Makes room for so many bytes before they are read. Throws where there is none. */
type Admit = (bytes: number) => Promise<void>;

/** A response as its account keeps it: what it was asked, without what it went on from, and what it answered. */
export type StoredResponse = {
  id: string;
  parentId: string | null;
  input: JsonObject[];
  output: JsonObject[];
  response: JsonObject;
};

export type ResponseStore = {
  /** Whether anything is kept at all. */
  isKeeping: boolean;
  /** Not one that is too large, and none where nothing is kept. */
  save: (owner: { accountId: AccountId; keyId: KeyId }, stored: StoredResponse) => Promise<void>;
  /** null: unknown, expired, deleted, or another account's. */
  find: (accountId: AccountId, id: string) => Promise<StoredResponse | null>;
  /**
   * The conversation up to and with this response, as items in their order. null: a part of it is not known any more.
   * Throws invalidParameters for one that has grown too long.
   */
  history: (accountId: AccountId, id: string, admit: Admit) => Promise<JsonObject[] | null>;
  /** Those of these items of earlier calls and answers that are known. */
  items: (accountId: AccountId, itemIds: string[], admit: Admit) => Promise<Map<string, JsonObject>>;
  /** Lets an account's oldest go where it keeps more than it may, after so many bytes more. */
  makeRoom: (accountId: AccountId, added: number) => Promise<void>;
  /** Whether there was one. */
  remove: (accountId: AccountId, id: string) => Promise<boolean>;
  /** Forgets what has expired; how many. */
  sweep: () => Promise<number>;
};

type StoreDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  /** The installation's, and the one before it. */
  secrets: string[];
  /** 0: nothing is kept. */
  retentionDays: number;
  /** What an account may keep, as JSON; beyond it its oldest go first. */
  mostBytes: number;
};

const DAY_MS = 86_400_000;

/** As JSON. A conversation of this size is more than any model reads. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Turns that a conversation may go back, and what they may hold, as JSON. */
const MAX_TURNS = 1_000;
const MAX_CHAIN_BYTES = 16 * 1024 * 1024;

const SWEPT_AT_ONCE = 1_000;

type Sized = { bytes: number };
type Row = Sized & { hash: string; payload: Buffer };

/** Before any of it is opened: what is small as it is stored may be large. Throws conversationTooLong. */
async function measure(rows: Sized[], admit: Admit): Promise<void> {
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (rows.length > MAX_TURNS || bytes > MAX_CHAIN_BYTES) {
    throw new GatewayError("conversationTooLong");
  }
  await admit(bytes);
}

/** States of a response in the background that nobody can go on from. */
const unanswered: unknown[] = ["queued", "in_progress", "failed", "cancelled"];

const isStored = (value: unknown): value is StoredResponse => typeof value === "object" && value !== null;

/**
 * Those that are being made are kept: what is paid for at their end would be lost. `accountId`: one account's alone. Read
 * by themselves, for a distributed table is not joined with one that is not.
 */
async function madeNow(sql: Sql, accountId: AccountId | null): Promise<string[]> {
  const rows = await lookUp(sql<{ hash: string }[]>`
    select hash from background_responses where ${accountId}::text is null or account_id = ${accountId}`);
  return rows.map(({ hash }) => hash);
}

/** Lets the oldest go where an account keeps more than it may. Twice is once. */
function createTrim(sql: Sql, mostBytes: number) {
  const isFilling = createFilling(mostBytes);
  return async (accountId: AccountId, added: number): Promise<void> => {
    if (!isFilling(accountId, added)) {
      return;
    }
    const made = await madeNow(sql, accountId);
    await lookUp(sql`
      delete from stored_responses where account_id = ${accountId} and hash in (
        select hash from (
          select hash, sum(bytes) over (order by created_at desc, hash) as total
          from stored_responses where account_id = ${accountId}
        ) newest where total > ${mostBytes})
      and hash <> all(${made})`);
  };
}

/** Those items that are asked for by name: what nobody refers to is neither sent nor counted. */
const namedItems = ({ id, input, output }: StoredResponse, wanted: ReadonlySet<string>) =>
  [...namedInput(id, input), ...output].filter((item) => wanted.has(String(item.id)));

/** Who forgets. */
function createRemovals({ db, clock }: StoreDeps): Pick<ResponseStore, "remove" | "sweep"> {
  const sql = sqlOf(db) as Sql;
  return {
    remove: async (accountId, id) => {
      if (!isResponseId(id)) {
        return false;
      }
      const { count } = await lookUp(sql`
        delete from stored_responses where account_id = ${accountId} and hash = ${hashOf(id)}`);
      return count > 0;
    },
    sweep: async () => {
      const made = await madeNow(sql, null);
      const { count } = await sql`
        delete from stored_responses where (account_id, hash) in (
          select account_id, hash from stored_responses
          where expires_at <= ${clock()} and hash <> all(${made}) limit ${SWEPT_AT_ONCE})`;
      return count;
    },
  };
}

export function createResponseStore(deps: StoreDeps): ResponseStore {
  const { db, clock, log, secrets, retentionDays, mostBytes } = deps;
  const sql = sqlOf(db) as Sql;
  const trim = createTrim(sql, mostBytes);

  async function read(row: Row, accountId: AccountId, id: string): Promise<StoredResponse | null> {
    const opened = await open(row.payload, { secrets, id, accountId });
    return isStored(opened) ? opened : null;
  }

  async function find(accountId: AccountId, id: string): Promise<StoredResponse | null> {
    if (!isResponseId(id) || retentionDays === 0) {
      return null;
    }
    const [row] = await lookUp(sql<Row[]>`
      select hash, payload, bytes from stored_responses
      where account_id = ${accountId} and hash = ${hashOf(id)} and expires_at > ${clock()}`);
    return row ? read(row, accountId, id) : null;
  }

  /** The rows of a conversation by their hash, the last one's first. */
  const chain = (accountId: AccountId, id: string) => sql<Row[]>`
    with recursive chain as (
      select hash, parent_hash, payload, bytes, 1 as depth, bytes::bigint as total from stored_responses
      where account_id = ${accountId} and hash = ${hashOf(id)} and expires_at > ${clock()}
      union all
      select before.hash, before.parent_hash, before.payload, before.bytes, depth + 1, total + before.bytes
      from chain join stored_responses before on before.account_id = ${accountId} and before.hash = chain.parent_hash
      where before.expires_at > ${clock()} and depth <= ${MAX_TURNS} and total <= ${MAX_CHAIN_BYTES}
    )
    select hash, payload, bytes from chain`;

  return {
    isKeeping: retentionDays > 0,
    save: async ({ accountId, keyId }, stored) => {
      const now = clock();
      const { id, parentId } = stored;
      if (retentionDays === 0) {
        return;
      }
      const printed = await inTurns(printInSteps(stored));
      const size = (printed?.pieces ?? []).reduce((sum, { length }) => sum + length, 0);
      if (printed === null || size > MAX_CHARACTERS) {
        log.warn({ accountId, characters: size }, "a response is too large to be kept");
        return;
      }
      const payload = await seal(stored, { secret: secrets[0] ?? "", id, accountId });
      await lookUp(sql`
        insert into stored_responses (account_id, hash, parent_hash, key_id, bytes, payload, created_at, expires_at)
        values (${accountId}, ${hashOf(id)}, ${parentId && hashOf(parentId)}, ${keyId}, ${size},
          ${payload}, ${now}, ${new Date(now.getTime() + retentionDays * DAY_MS)})
        on conflict do nothing`);
      await trim(accountId, size);
    },
    find,
    makeRoom: trim,
    history: async (accountId, id, admit) => {
      if (!isResponseId(id) || retentionDays === 0) {
        return null;
      }
      const rows = new Map((await lookUp(chain(accountId, id))).map((row) => [row.hash, row]));
      await measure([...rows.values()], admit);
      const turns: JsonObject[][] = [];
      for (let next: string | null = id; next !== null; ) {
        const row = rows.get(hashOf(next));
        const stored: StoredResponse | null = row ? await read(row, accountId, next) : null;
        if (stored === null || unanswered.includes(stored.response.status)) {
          return null;
        }
        turns.push([...stored.input, ...stored.output]);
        next = stored.parentId;
      }
      return turns.reverse().flat();
    },
    items: async (accountId, itemIds, admit) => {
      if (retentionDays === 0) {
        return new Map();
      }
      const wanted = new Set(itemIds.slice(0, MAX_TURNS));
      const ids = [...new Set([...wanted].map(responseIdOf).filter((id) => id !== null))];
      const hashes = ids.map(hashOf);
      // Their sizes first: a thousand rows may be more than there is room for.
      await measure(
        await lookUp(sql<Sized[]>`
          select bytes from stored_responses
          where account_id = ${accountId} and hash = any(${hashes}) and expires_at > ${clock()}`),
        admit,
      );
      const found = await lookUp(sql<Row[]>`
        select hash, payload, bytes from stored_responses
        where account_id = ${accountId} and hash = any(${hashes}) and expires_at > ${clock()}`);
      const rows = new Map(found.map((row) => [row.hash, row]));
      const known = new Map<string, JsonObject>();
      for (const id of ids) {
        const row = rows.get(hashOf(id));
        const stored = row ? await read(row, accountId, id) : null;
        for (const item of stored ? namedItems(stored, wanted) : []) {
          known.set(String(item.id), item);
        }
      }
      return known;
    },
    ...createRemovals(deps),
  };
}
