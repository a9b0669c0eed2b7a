import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { lookUp } from "@/server/base/deadline";
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { AccountId } from "@/server/base/ids";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { isJsonObject, type JsonObject } from "@/server/protocol/fields";
import { isConversationId } from "@/server/protocol/responses/ids";
import { expiryAt, type Keeping } from "./entry";
import { hashOf, openConversation, sealConversation } from "./sealing";

const { conversations, storedResponses } = tables;

/** Turns that a conversation may go back. */
export const MAX_TURNS = 1_000;

/** The conversation of an account. */
export type Place = { accountId: AccountId; id: string };

export type Metadata = Record<string, string>;

/** `metadata`: what its client has noted of it. */
export type Conversation = { id: string; metadata: Metadata; createdAt: Date };

/** `headId`: the newest of its stored responses. null: it has none yet. */
type Pointer = { headId: string | null; metadata: Metadata };
type Found = Pointer & { createdAt: Date; expiresAt: Date };

type KeptBy = Pick<Keeping, "clock" | "secrets" | "retentionDays">;

/** It is prolonged once in so many parts of its life: each time all that it is made of is. */
export const PROLONGED_PER_LIFE = 30;

const ended: unknown[] = ["completed", "incomplete"];

/** Whether a response is one that a conversation takes. */
export const isAnswered = ({ status }: JsonObject): boolean => ended.includes(status);

/** The conversation that a response has been added to. null: to none. */
export const conversationOf = (response: JsonObject): string | null =>
  isAnswered(response) && isJsonObject(response.conversation) ? String(response.conversation.id) : null;

export const isThis = ({ accountId, id }: Place) =>
  and(eq(conversations.accountId, accountId), eq(conversations.hash, hashOf(id)));

export const unknownConversation = () => new GatewayError("unknownConversation", details.noConversation());
export const brokenConversation = () => new GatewayError("unknownConversation", details.brokenConversation());

const isPointer = (value: unknown): value is Pointer => isJsonObject(value) && "headId" in value;

const query = (db: Db, { clock }: KeptBy, place: Place) =>
  ormOf(db)
    .select({
      payload: conversations.payload,
      createdAt: conversations.createdAt,
      expiresAt: conversations.expiresAt,
    })
    .from(conversations)
    .where(and(isThis(place), gt(conversations.expiresAt, clock())));

async function read(
  rows: Promise<(Omit<Found, keyof Pointer> & { payload: Buffer })[]>,
  kept: KeptBy,
  place: Place,
) {
  const [row] = await rows;
  const opened = row && (await openConversation(row.payload, { secrets: kept.secrets, ...place }));
  return row && isPointer(opened) ? { ...opened, createdAt: row.createdAt, expiresAt: row.expiresAt } : null;
}

const isKnown = ({ retentionDays }: KeptBy, { id }: Place) => retentionDays > 0 && isConversationId(id);

/** null: unknown, expired, deleted, or another account's. */
const findPointer = async (db: Db, kept: KeptBy, place: Place): Promise<Found | null> =>
  isKnown(kept, place) ? read(query(db, kept, place), kept, place) : null;

/** The same. Throws unknownConversation. */
export async function findPlace(db: Db, kept: KeptBy, place: Place): Promise<Found> {
  const pointer = await lookUp(findPointer(db, kept, place));
  if (pointer === null) {
    throw unknownConversation();
  }
  return pointer;
}

/** The same, locked. Every transaction locks it before the entries, so that no two wait for each other. */
export const lockPointer = async (tx: Tx, kept: KeptBy, place: Place): Promise<Found | null> =>
  isKnown(kept, place) ? read(query(tx, kept, place).for("update"), kept, place) : null;

export const sealPointer = (
  { headId, metadata }: Pointer,
  { secrets }: KeptBy,
  place: Place,
): Promise<Buffer> =>
  sealConversation([JSON.stringify({ headId, metadata })], { secret: secrets[0] ?? "", ...place });

/**
 * The rows of a conversation up to and with this one, the newest first, without what they hold. One that is known does
 * not expire before its conversation.
 */
const listChain = (db: Db, { accountId, id }: Place) =>
  ormOf(db).execute<{ hash: string; parent: string | null; bytes: number }>(sql`
    with recursive chain as (
      select hash, parent_hash, bytes, 1 as depth from stored_responses
      where account_id = ${accountId} and hash = ${hashOf(id)}
      union all
      select before.hash, before.parent_hash, before.bytes, depth + 1
      from chain join stored_responses before on before.account_id = ${accountId} and before.hash = chain.parent_hash
      where depth <= ${MAX_TURNS}
    )
    select hash, parent_hash as parent, bytes from chain order by depth`);

/** The same of one that has them all. Throws unknownConversation where a part is gone. */
export async function listWhole(db: Db, accountId: AccountId, headId: string | null) {
  const rows = headId === null ? [] : await listChain(db, { accountId, id: headId });
  // Of one that has grown too long the end is not looked for: whoever reads it is told that.
  if (headId !== null && rows.length <= MAX_TURNS && rows.at(-1)?.parent !== null) {
    throw brokenConversation();
  }
  return rows;
}

/**
 * Puts one more behind the newest of a conversation: `write` writes it and says whether there is one. What ends at the
 * same time is put there one after the other. false: there is no such conversation.
 */
export async function extend(
  tx: Tx,
  kept: KeptBy,
  {
    entryId,
    write,
    ...place
  }: Place & { entryId: string; write: (headId: string | null) => Promise<boolean> },
): Promise<boolean> {
  const pointer = await lockPointer(tx, kept, place);
  if (pointer !== null && (await write(pointer.headId))) {
    const now = kept.clock();
    const until = expiryAt(now, kept);
    const life = until.getTime() - now.getTime();
    const isDue = until.getTime() - pointer.expiresAt.getTime() >= life / PROLONGED_PER_LIFE;
    if (isDue && pointer.headId !== null) {
      const rows = await listChain(tx, { accountId: place.accountId, id: pointer.headId });
      const hashes = rows.map(({ hash }) => hash);
      await ormOf(tx)
        .update(storedResponses)
        .set({ expiresAt: until })
        .where(and(eq(storedResponses.accountId, place.accountId), inArray(storedResponses.hash, hashes)));
    }
    await ormOf(tx)
      .update(conversations)
      .set({
        payload: await sealPointer({ ...pointer, headId: entryId }, kept, place),
        expiresAt: isDue || until < pointer.expiresAt ? until : pointer.expiresAt,
      })
      .where(isThis(place));
  }
  return pointer !== null;
}
