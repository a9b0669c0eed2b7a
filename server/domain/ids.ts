import { randomFillSync } from "node:crypto";
import type { z } from "zod";

/**
 * Distinct types for each kind of identifier. They are created here, and parsed where they come in (operations/schema).
 */
export type AccountId = string & z.$brand<"AccountId">;
export type KeyId = string & z.$brand<"KeyId">;
export type ChannelId = string & z.$brand<"ChannelId">;
export type TaskId = string & z.$brand<"TaskId">;

/** The identifier type of each prefix. */
type IdTypes = {
  acc: AccountId;
  key: KeyId;
  chn: ChannelId;
  task: TaskId;
  usr: string;
  mgk: string;
  pgr: string;
  ses: string;
  req: string;
  gen: string;
  ent: string;
  esc: string;
  proc: string;
  bat: string;
  pay: string;
  whk: string;
  msg: string;
};

const ID_BYTES = 16;
/** Random bytes for many identifiers: one system call for each was most of an identifier's cost. */
const drawn = Buffer.allocUnsafeSlow(ID_BYTES * 512);
let next = drawn.length;
/** A clock that goes back by no more than this is only being adjusted; by more, it was wrong before. */
const SET_BACK_MS = 60_000;
/** The last identifier's millisecond, and its place within that, which starts at a random number below 2^31. */
let last = { ms: 0, place: 0 };

/**
 * A UUID of version 7 without its dashes: 48 bits of time, 32 of order within a millisecond, and random ones. If the
 * clock is set back a little, identifiers continue from the last time. If it was far wrong, they follow the corrected
 * clock: otherwise a search by time would miss this process's calls until that time has come.
 */
function timeOrdered(): string {
  if (next === drawn.length) {
    randomFillSync(drawn);
    next = 0;
  }
  const at = next;
  next += ID_BYTES;
  const now = Date.now();
  const isNew = now > last.ms || now < last.ms - SET_BACK_MS;
  last = isNew ? { ms: now, place: drawn.readUInt32BE(at) >>> 1 } : { ms: last.ms, place: last.place + 1 };
  const { ms, place } = last;
  drawn.writeUIntBE(ms, at, 6);
  // The version is in front of the first 12 bits of the place, the variant in front of the other 20.
  drawn.writeUInt16BE(0x7000 | (place >>> 20), at + 6);
  drawn.writeUIntBE(0x800000 | (place & 0xfffff), at + 8, 3);
  return drawn.toString("hex", at, at + ID_BYTES);
}

/** A time-ordered identifier such as `req_0193…`; the prefix is its kind. */
export const newId = <Prefix extends keyof IdTypes>(prefix: Prefix): IdTypes[Prefix] =>
  `${prefix}_${timeOrdered()}` as IdTypes[Prefix];

/** Whether a text has the form of our identifiers. */
export const looksLikeId = (text: string): boolean => /^[a-z]{3,4}_[0-9a-f]{32}$/.test(text);

/** A lower bound: identifiers of `prefix` made at `moment` or later sort after it, and earlier ones before it. */
export function lowestId(prefix: string, moment: Date): string {
  return `${prefix}_${Math.max(0, moment.getTime()).toString(16).padStart(12, "0")}`;
}

/** When a time-ordered identifier was made, to the millisecond. */
export const madeAt = (id: string): Date =>
  new Date(Number.parseInt(id.replace(/^[a-z]+_/, "").slice(0, 12), 16));
