import { v7 } from "uuid";
import type { z } from "zod";

/** Identifiers of one kind are none of another: they are made here, and parsed where they come in (operations/schema). */
export type AccountId = string & z.$brand<"AccountId">;
export type KeyId = string & z.$brand<"KeyId">;
export type ChannelId = string & z.$brand<"ChannelId">;
export type TaskId = string & z.$brand<"TaskId">;

/** What each prefix names. */
type Named = {
  acc: AccountId;
  key: KeyId;
  chn: ChannelId;
  task: TaskId;
  usr: string;
  mgk: string;
  ses: string;
  req: string;
  gen: string;
};

/** A time-ordered identifier such as `req_0193…`: the prefix says what it names. */
export const newId = <Prefix extends keyof Named>(prefix: Prefix): Named[Prefix] =>
  `${prefix}_${v7().replaceAll("-", "")}` as Named[Prefix];

/** Whether people could take it for an identifier of ours. */
export const looksLikeId = (text: string): boolean => /^[a-z]{3,4}_[0-9a-f]{32}$/.test(text);

/** What every identifier of `prefix` that is made at `moment` or later sorts behind, and every earlier one before. */
export function lowestId(prefix: string, moment: Date): string {
  return `${prefix}_${Math.max(0, moment.getTime()).toString(16).padStart(12, "0")}`;
}

/** When a time-ordered identifier was made, to the millisecond. */
export const madeAt = (id: string): Date =>
  new Date(Number.parseInt(id.replace(/^[a-z]+_/, "").slice(0, 12), 16));
