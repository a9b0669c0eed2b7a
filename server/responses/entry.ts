import { and, eq } from "drizzle-orm";
import type { Clock } from "@/server/base/clock";
import type { Log } from "@/server/base/log";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { JsonObject } from "@/server/protocol/fields";
import { namedInput, namedOutput } from "@/server/protocol/responses/named-items";
import { hashOf, open, print, printAny, seal } from "./sealing";

const { storedResponses } = tables;

/** A response as its account stores it: its input without earlier turns, and its output. */
export type StoredResponse = {
  id: string;
  parentId: string | null;
  input: JsonObject[];
  /** The identifiers of its input's items, in a conversation. If absent, `namedInput` makes them. */
  inputIds?: string[];
  output: JsonObject[];
  /** Empty: it cannot be retrieved as a response, and is only a part of a conversation. */
  response: JsonObject;
};

export type ResponseOwner = { accountId: AccountId; keyId: KeyId };

export type Keeping = {
  clock: Clock;
  log: Log;
  /** The installation's secret, and the former one. */
  secrets: string[];
  /** 0: nothing is stored. */
  retentionDays: number;
};

const DAY_MS = 86_400_000;

/** As JSON. No model can read a conversation of this size. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** The expiry of something stored now. */
export const expiryAt = (now: Date, { retentionDays }: Pick<Keeping, "retentionDays">): Date =>
  new Date(now.getTime() + retentionDays * DAY_MS);

/**
 * The least size that a part of a conversation counts for: a client may add a million small ones without a paid call.
 */
export const LEAST_PART_BYTES = 1_024;

const lengthOf = (pieces: string[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** The columns with an entry's content. `pieces`: the entry as JSON. */
async function columnsOf(
  { id, parentId, inputIds }: StoredResponse,
  pieces: string[],
  { secrets, accountId }: Pick<Keeping, "secrets"> & { accountId: AccountId },
) {
  return {
    parentHash: parentId && hashOf(parentId),
    bytes: Math.max(lengthOf(pieces), inputIds ? LEAST_PART_BYTES : 0),
    payload: await seal(pieces, { secret: secrets[0] ?? "", id, accountId }),
  };
}

/** The same columns for an entry of any size. */
export const sealColumns = async (
  { secrets }: Pick<Keeping, "secrets">,
  accountId: AccountId,
  stored: StoredResponse,
) => columnsOf(stored, await printAny(stored), { secrets, accountId });

/** The encrypted row of an entry. null: it is too large, which is logged. */
export async function sealEntry(
  keeping: Keeping,
  { accountId, keyId }: ResponseOwner,
  stored: StoredResponse,
) {
  const { clock, log, secrets } = keeping;
  const pieces = await print(stored);
  const characters = lengthOf(pieces ?? []);
  if (pieces === null || characters > MAX_CHARACTERS) {
    log.warn({ accountId, characters }, "a response is too large to be kept");
    return null;
  }
  const createdAt = clock();
  return {
    ...{ accountId, keyId, hash: hashOf(stored.id), createdAt, expiresAt: expiryAt(createdAt, keeping) },
    ...(await columnsOf(stored, pieces, { secrets, accountId })),
  };
}

const isStored = (value: unknown): value is StoredResponse => typeof value === "object" && value !== null;

/** null: it cannot be opened with these secrets, under this identifier and for this account. */
export async function openEntry(
  payload: Buffer,
  owner: { secrets: string[]; id: string; accountId: AccountId },
): Promise<StoredResponse | null> {
  const opened = await open(payload, owner);
  return isStored(opened) ? opened : null;
}

type Rewriting = {
  accountId: AccountId;
  id: string;
  change: (stored: StoredResponse) => StoredResponse | null;
  columns?: { expiresAt?: Date; conversationHash?: string } | undefined;
};

/**
 * Locks an entry's row and replaces the entry by the result of `change`. `columns`: further columns to change. null:
 * the row is gone, or `change` returned null.
 */
export async function rewriteEntry(
  tx: Tx,
  { secrets }: Pick<Keeping, "secrets">,
  { accountId, id, change, columns }: Rewriting,
): Promise<StoredResponse | null> {
  const isRow = and(eq(storedResponses.accountId, accountId), eq(storedResponses.hash, hashOf(id)));
  const [row] = await ormOf(tx)
    .select({ payload: storedResponses.payload })
    .from(storedResponses)
    .where(isRow)
    .for("update");
  const stored = row && (await openEntry(row.payload, { secrets, id, accountId }));
  const next = stored ? change(stored) : null;
  if (next !== null) {
    await ormOf(tx)
      .update(storedResponses)
      .set({ ...(await sealColumns({ secrets }, accountId, next)), ...columns })
      .where(isRow);
  }
  return next;
}

/**
 * All items of an entry, each under the identifier by which it can be referred to. `usedIds`: identifiers of earlier
 * items, to which those of its output are added.
 */
export const itemsOf = (
  { id, input, inputIds, output }: StoredResponse,
  usedIds = new Set<string>(),
): JsonObject[] => [...namedInput(id, input, inputIds), ...namedOutput(id, output, usedIds)];
