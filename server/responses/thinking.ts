import type { Sql } from "postgres";
import type { Clock } from "@/server/base/clock";
import { type Database, tables } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { sweepExpired } from "@/server/db/lease";
import type { AccountId } from "@/server/domain/ids";
import type { KeptThinking } from "@/server/protocol/kept-thinking";
import { createFilling } from "./filling";
import { hashOf, openThinking, sealThinking } from "./sealing";

/** Thinking between the calls of a tool loop, for clients that send back only their calls' identifiers. */
export type ThinkingStore = {
  /** Whether anything is stored at all. */
  isKeeping: boolean;
  /** Keeps thinking under each call's identifier, where the last write counts. Skips thinking that is too large. */
  keep: (accountId: AccountId, kept: readonly KeptThinking[]) => Promise<void>;
  /** The account's kept thinking of these calls, in one query; beyond a few megabytes only the newest. */
  find: (accountId: AccountId, callIds: readonly string[]) => Promise<KeptThinking[]>;
  /** Deletes expired thinking. Returns how many entries. */
  sweep: () => Promise<number>;
};

type StoreDeps = {
  db: Database;
  clock: Clock;
  /** The installation's secret, and the former one. */
  secrets: string[];
  /** 0: nothing is stored. */
  hours: number;
  /** The most that an account may store; beyond that the oldest are deleted first. */
  mostBytes: number;
};

const HOUR_MS = 3_600_000;

/** For one call, as JSON; several times the longest thinking observed from any vendor. */
const MAX_CHARACTERS = 1024 * 1024;

/** The most that is returned to one call of a client, because it becomes a part of the call's prompt. */
const MAX_FOUND_BYTES = 4 * 1024 * 1024;

type ThinkingRow = { hash: string; payload: Buffer };

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === "string");

export function createThinkingStore({ db, clock, secrets, hours, mostBytes }: StoreDeps): ThinkingStore {
  const sql = sqlOf(db) as Sql;
  const isFilling = createFilling(mostBytes);

  async function rowOf(accountId: AccountId, { callId, envelopes }: KeptThinking) {
    const printed = JSON.stringify(envelopes);
    const bytes = printed.length;
    const payload = await sealThinking([printed], { secret: secrets[0] ?? "", id: callId, accountId });
    const now = clock();
    const expiresAt = new Date(now.getTime() + hours * HOUR_MS);
    return { accountId, hash: hashOf(callId), bytes, payload, createdAt: now, expiresAt };
  }

  /** Deletes the oldest where an account keeps more than its limit. Running it twice is safe. */
  const trim = (accountId: AccountId) => sql`
    delete from kept_thinking where account_id = ${accountId} and hash in (
      select hash from (
        select hash, sum(bytes) over (order by created_at desc, hash) as total
        from kept_thinking where account_id = ${accountId}
      ) newest where total > ${mostBytes})`;

  return {
    isKeeping: hours > 0,
    keep: async (accountId, kept) => {
      // A statement cannot change a row twice.
      const byCall = new Map(kept.map((entry) => [entry.callId, entry]));
      const sealed = await Promise.all([...byCall.values()].map((entry) => rowOf(accountId, entry)));
      const rows = sealed.filter(({ bytes }) => bytes <= MAX_CHARACTERS);
      if (hours === 0 || rows.length === 0) {
        return;
      }
      await sql`
        insert into kept_thinking ${sql(
          rows.map((row) => ({
            account_id: row.accountId,
            hash: row.hash,
            bytes: row.bytes,
            payload: row.payload,
            created_at: row.createdAt,
            expires_at: row.expiresAt,
          })),
        )}
        on conflict (account_id, hash) do update set bytes = excluded.bytes, payload = excluded.payload,
          created_at = excluded.created_at, expires_at = excluded.expires_at`;
      if (
        isFilling(
          accountId,
          rows.reduce((sum, { bytes }) => sum + bytes, 0),
        )
      ) {
        await trim(accountId);
      }
    },
    find: async (accountId, callIds) => {
      if (hours === 0 || callIds.length === 0) {
        return [];
      }
      const ids = new Map(callIds.map((id) => [hashOf(id), id]));
      const rows = await sql<ThinkingRow[]>`
        select hash, payload from (
          select hash, payload, sum(bytes) over (order by created_at desc, hash) as total from kept_thinking
          where account_id = ${accountId} and hash = any(${[...ids.keys()]}) and expires_at > ${clock()}
        ) newest where total <= ${MAX_FOUND_BYTES}`;
      const entries = await Promise.all(
        rows.map(async ({ hash, payload }) => {
          const callId = ids.get(hash) ?? "";
          const envelopes = await openThinking(payload, { secrets, id: callId, accountId });
          return areTexts(envelopes) ? [{ callId, envelopes }] : [];
        }),
      );
      return entries.flat();
    },
    sweep: () => sweepExpired(db, tables.keptThinking, { now: clock() }),
  };
}
