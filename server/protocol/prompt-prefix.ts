/**
 * The start of a prompt that later calls of the conversation share, by which vendors find their cached prompts. Pure.
 */
import { isJsonObject, type JsonObject } from "./fields";

/** Characters read of each part: an agent's tools alone would fill any common limit, and hide the turns after them. */
const MAX_PART = 4_096;

/** Prompt cache marks, which clients move from turn to turn. */
const MARKS = new Set(["cache_control", "prompt_cache_breakpoint"]);

/** Claude Code's first line. Its hash is new in every request and would defeat the upstream's prompt cache. */
export const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n*/;

/** Collects the names and texts of a value until there is no more room; returns the room that is left. */
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

/** The turns up to the first one of the user: later turns are missing in a conversation's first call. */
function firstTurns(turns: unknown): readonly unknown[] {
  const list = Array.isArray(turns) ? turns : [turns];
  const first = list.findIndex((turn) => !isJsonObject(turn) || (turn.role ?? "user") === "user");
  return first === -1 ? list.slice(0, 1) : list.slice(0, first + 1);
}

/**
 * Identifies a prompt's beginning, in bounded length, the same in every call of one conversation: the client's own
 * `prompt_cache_key` if there is one, otherwise its tools, its instructions and its first turns.
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
