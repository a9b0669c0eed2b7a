/** What of a prompt its later calls have in common: where vendors find again what they keep of it. Pure. */
import { isJsonObject, type JsonObject } from "./fields";

/** Characters of each part that are looked at: an agent's tools alone fill any bound, and hide whose turn follows. */
const MAX_PART = 4_096;

/** Marks of where to keep a prompt, which clients move from turn to turn. */
const MARKS = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** Claude Code's first line. Its hash is new in every request and would defeat the upstream's prompt cache. */
export const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n*/;

/** The names and texts of a value until there is no more room; answers the room that is left. */
function gather(value: unknown, into: string[], room: number): number {
  if (room <= 0 || value === null || value === undefined) {
    return room;
  }
  if (typeof value === "string") {
    const text = value.replace(BILLING_LINE, "").slice(0, room);
    into.push(text);
    return room - text.length - 1;
  }
  if (Array.isArray(value)) {
    return gatherAll(value, into, room - 1);
  }
  if (!isJsonObject(value)) {
    into.push(String(value));
    return room - 4;
  }
  let left = room - 1;
  for (const [name, member] of Object.entries(value)) {
    if (left <= 0) {
      break;
    }
    if (!MARKS.has(name)) {
      into.push(name);
      left = gather(member, into, left - name.length);
    }
  }
  return left;
}

function gatherAll(values: readonly unknown[], into: string[], room: number): number {
  let left = room;
  for (const value of values) {
    if (left <= 0) {
      break;
    }
    left = gather(value, into, left);
  }
  return left;
}

/** Up to the first of the user's: what comes after it is not there in a conversation's first call. */
function firstTurns(turns: unknown): readonly unknown[] {
  const list = Array.isArray(turns) ? turns : [turns];
  const first = list.findIndex((turn) => !isJsonObject(turn) || (turn.role ?? "user") === "user");
  return first === -1 ? list.slice(0, 1) : list.slice(0, first + 1);
}

/**
 * What tells a prompt's beginning apart, bounded, the same in every call of one conversation: the client's own word for
 * what belongs together (`prompt_cache_key`) where there is one, else its tools, its instructions and its first turns.
 */
export function promptPrefix(
  fields: JsonObject,
  { tools, system, turns }: { tools: unknown; system: unknown; turns: unknown },
): string {
  const named = fields.prompt_cache_key;
  if (typeof named === "string" && named !== "") {
    return named.slice(0, MAX_PART);
  }
  const parts: string[] = [];
  for (const part of [tools, system]) {
    gather(part, parts, MAX_PART);
  }
  gatherAll(firstTurns(turns), parts, MAX_PART);
  return parts.join("\n");
}
