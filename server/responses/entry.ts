import type { Clock } from "@/server/base/clock";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import { inTurns } from "@/server/base/turns";
import type { JsonObject } from "@/server/protocol/fields";
import { printInSteps } from "@/server/protocol/json-print";
import { namedInput } from "@/server/protocol/responses/input-items";
import { hashOf, open, seal } from "./sealing";

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
const LEAST_PART_BYTES = 1_024;

/** What a part of a conversation counts, of so many bytes. */
export const partBytes = (bytes: number): number => Math.max(bytes, LEAST_PART_BYTES);

/** The row of what is to be kept, encrypted. null: it is too large, which is logged. */
export async function sealEntry(keeping: Keeping, { accountId, keyId }: Owner, stored: StoredResponse) {
  const { clock, log, secrets } = keeping;
  const { id, parentId } = stored;
  const printed = await inTurns(printInSteps(stored));
  const bytes = (printed?.pieces ?? []).reduce((sum, { length }) => sum + length, 0);
  if (printed === null || bytes > MAX_CHARACTERS) {
    log.warn({ accountId, characters: bytes }, "a response is too large to be kept");
    return null;
  }
  const createdAt = clock();
  return {
    ...{ accountId, keyId, hash: hashOf(id), parentHash: parentId && hashOf(parentId), bytes },
    payload: await seal(stored, { secret: secrets[0] ?? "", id, accountId }),
    ...{ createdAt, expiresAt: expiryAt(createdAt, keeping) },
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

/** All items of an entry, each under the identifier by which it can be referred to. */
export const itemsOf = ({ id, input, inputIds, output }: StoredResponse): JsonObject[] => [
  ...namedInput(id, input, inputIds),
  ...output,
];
