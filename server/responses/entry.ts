import { and, eq } from "drizzle-orm";
import type { Clock } from "@/server/base/clock";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { JsonObject } from "@/server/protocol/fields";
import { namedInput, namedOutput } from "@/server/protocol/responses/named-items";
import { hashOf, open, print, printAny, seal } from "./sealing";

const { storedResponses } = tables;

/** A response as its account keeps it: what it was asked, without what it went on from, and what it answered. */
export type StoredResponse = {
  id: string;
  parentId: string | null;
  input: JsonObject[];
  /** The identifiers of its input's items, in a conversation. Left out: `namedInput` makes them. */
  inputIds?: string[];
  output: JsonObject[];
  /** Empty: it is no response that can be asked for, but a part of a conversation. */
  response: JsonObject;
};

export type Owner = { accountId: AccountId; keyId: KeyId };

export type Keeping = {
  clock: Clock;
  log: Log;
  /** The installation's, and the one before it. */
  secrets: string[];
  /** 0: nothing is kept. */
  retentionDays: number;
};

const DAY_MS = 86_400_000;

/** As JSON. A conversation of this size is more than any model reads. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Until when is kept what is kept now. */
export const expiryAt = (now: Date, { retentionDays }: Pick<Keeping, "retentionDays">): Date =>
  new Date(now.getTime() + retentionDays * DAY_MS);

/** What a part of a conversation counts at least: a client may add a million small ones without a call that costs anything. */
export const LEAST_PART_BYTES = 1_024;

const lengthOf = (pieces: string[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** The columns of an entry's row that say what it holds. `pieces`: the entry as JSON. */
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

/** The same columns of an entry of any size. */
export const sealColumns = async (
  { secrets }: Pick<Keeping, "secrets">,
  accountId: AccountId,
  stored: StoredResponse,
) => columnsOf(stored, await printAny(stored), { secrets, accountId });

/** The row of what is to be kept, encrypted. null: it is too large, which is logged. */
export async function sealEntry(keeping: Keeping, { accountId, keyId }: Owner, stored: StoredResponse) {
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

/** null: it cannot be read with these secrets, under this identifier and for this account. */
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
 * Locks an entry's row and writes what `change` makes of the entry in its place. `columns`: what else changes in the row.
 * null: the row is gone, or `change` wants none.
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
 * All items of an entry, each under the identifier by which it can be referred to. `seen`: identifiers of items before it,
 * to which those of its output are added.
 */
export const itemsOf = (
  { id, input, inputIds, output }: StoredResponse,
  seen = new Set<string>(),
): JsonObject[] => [...namedInput(id, input, inputIds), ...namedOutput(id, output, seen)];
