import { v7 } from "uuid";

/** A time-ordered identifier such as `req_0193…`: the prefix says what it names. */
export function newId(prefix: "acc" | "usr" | "key" | "chn" | "req" | "gen"): string {
  return `${prefix}_${v7().replaceAll("-", "")}`;
}
