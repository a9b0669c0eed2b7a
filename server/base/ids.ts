import { v7 } from "uuid";

/** A time-ordered identifier such as `req_0193…`: the prefix says what it names. */
export function newId(prefix: "acc" | "usr" | "ses" | "key" | "chn" | "req" | "gen"): string {
  return `${prefix}_${v7().replaceAll("-", "")}`;
}

/** What every identifier of `prefix` that is made at `moment` or later sorts behind, and every earlier one before. */
export function lowestId(prefix: string, moment: Date): string {
  return `${prefix}_${Math.max(0, moment.getTime()).toString(16).padStart(12, "0")}`;
}

/** When a time-ordered identifier was made, to the millisecond. */
export const madeAt = (id: string): Date =>
  new Date(Number.parseInt(id.replace(/^[a-z]+_/, "").slice(0, 12), 16));
