import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { lookUp } from "@/server/base/deadline";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { type Db, type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { isJsonObject, type JsonObject } from "@/server/protocol/fields";
import { isConversationId } from "@/server/protocol/responses/ids";
import { expiryAt, type Keeping } from "./entry";
import { hashOf, openConversation, sealConversation } from "./sealing";

const { conversations, storedResponses } = tables;

/** The most turns that a chain of stored responses may have. */
export const MAX_TURNS = 1_000;

/** A conversation and its account. */
export type ConversationRef = { accountId: AccountId; id: string };

export type Metadata = Record<string, string>;

/** `metadata`: the client's own notes. */
export type StoredConversation = { id: string; metadata: Metadata; createdAt: Date };

/** `headId`: the identifier of the newest entry. null: nothing has been added yet. */
type Pointer = { headId: string | null; metadata: Metadata };
type Found = Pointer & { createdAt: Date; expiresAt: Date };

type KeptBy = Pick<Keeping, "clock" | "secrets" | "retentionDays">;

/** How often a conversation in use is prolonged within its lifetime: each prolongation writes all of its entries. */
export const PROLONGED_PER_LIFE = 30;

const ended: unknown[] = ["completed", "incomplete"];

/** Whether a response ended with an answer. Only such responses are added to conversations. */
export const isAnswered = ({ status }: JsonObject): boolean => ended.includes(status);

/** The conversation to which a response was added. null: none. */
export const conversationOf = (response: JsonObject): string | null =>
  isAnswered(response) && isJsonObject(response.conversation) ? String(response.conversation.id) : null;

export const isThis = ({ accountId, id }: ConversationRef) =>
  and(eq(conversations.accountId, accountId), eq(conversations.hash, hashOf(id)));

export const unknownConversation = () =>
  new GatewayError("unknownConversation", errorMessages.noConversation());
export const brokenConversation = () =>
  new GatewayError("unknownConversation", errorMessages.brokenConversation());

const isPointer = (value: unknown): value is Pointer => isJsonObject(value) && "headId" in value;

const query = (db: Db, { clock }: KeptBy, place: ConversationRef) =>
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
  place: ConversationRef,
) {
  const [row] = await rows;
  const opened = row && (await openConversation(row.payload, { secrets: kept.secrets, ...place }));
  return row && isPointer(opened) ? { ...opened, createdAt: row.createdAt, expiresAt: row.expiresAt } : null;
}

const isKnown = ({ retentionDays }: KeptBy, { id }: ConversationRef) =>
  retentionDays > 0 && isConversationId(id);

/** null: unknown, expired, deleted, or another account's. */
const findPointer = async (db: Db, kept: KeptBy, place: ConversationRef): Promise<Found | null> =>
  isKnown(kept, place) ? read(query(db, kept, place), kept, place) : null;

/** As `findPointer`. Throws unknownConversation. */
export async function findPlace(db: Db, kept: KeptBy, place: ConversationRef): Promise<Found> {
  const pointer = await lookUp(findPointer(db, kept, place));
  if (pointer === null) {
    throw unknownConversation();
  }
  return pointer;
}

/**
 * As `findPointer`, with the row locked. Every transaction locks a conversation before its entries, so that no deadlock
 * occurs.
 */
export const lockPointer = async (tx: Tx, kept: KeptBy, place: ConversationRef): Promise<Found | null> =>
  isKnown(kept, place) ? read(query(tx, kept, place).for("update"), kept, place) : null;

export const sealPointer = (
  { headId, metadata }: Pointer,
  { secrets }: KeptBy,
  place: ConversationRef,
): Promise<Buffer> =>
  sealConversation([JSON.stringify({ headId, metadata })], { secret: secrets[0] ?? "", ...place });

/**
 * The rows of the chain that ends with this entry, the newest first, without their payloads. The query does not look at
 * expiry: an entry expires no earlier than its conversation.
 */
const listChain = (db: Db, { accountId, id }: ConversationRef) =>
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

/** The rows of a conversation that has all of its entries. Throws unknownConversation if an entry is gone. */
export async function listWhole(db: Db, accountId: AccountId, headId: string | null) {
  const rows = headId === null ? [] : await listChain(db, { accountId, id: headId });
  // The query stops at the limit, so a longer chain's oldest row is not among them. Its reader gets
  // conversationTooLong.
  if (headId !== null && rows.length <= MAX_TURNS && rows.at(-1)?.parent !== null) {
    throw brokenConversation();
  }
  return rows;
}

/**
 * Adds an entry to a conversation. `write` writes the entry after the given head, and returns whether it did. The lock
 * puts responses that end at the same time one after the other. false: there is no such conversation.
 */
export async function extend(
  tx: Tx,
  kept: KeptBy,
  {
    entryId,
    write,
    ...place
  }: ConversationRef & { entryId: string; write: (headId: string | null) => Promise<boolean> },
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
