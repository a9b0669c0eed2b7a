/**
 * `reasoning_details` (OpenRouter): the parts of thinking that the vendor wants back unchanged: text, summaries and
 * encrypted data. Clients of other dialects carry them in the signature of their thinking.
 */
import { type JsonObject, objects, textOf } from "../fields";
import type { Block, Seal, ThinkingBlock } from "../pivot/conversation";

/** Members that a stream sends in parts. */
const GROWING = ["text", "summary", "data"] as const;

/** More parts than any model makes. Each new part is compared with the latest one. */
const MAX_DETAILS = 1_000;

const isSame = (a: JsonObject, b: JsonObject): boolean =>
  a.type === b.type && a.index === b.index && (!a.id || !b.id || a.id === b.id);

function merge(detail: JsonObject, piece: JsonObject): void {
  const grown = GROWING.filter((name) => typeof detail[name] === "string" && typeof piece[name] === "string");
  const texts = grown.map((name) => [name, `${detail[name]}${piece[name]}`]);
  const values = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  Object.assign(detail, Object.fromEntries(values), Object.fromEntries(texts));
}

const saysSomething = (piece: JsonObject): boolean =>
  [...GROWING, "signature"].some((name) => textOf(piece[name]) !== "");

/** Collects the details of a message, or of a stream so far. */
export class ReasoningDetails {
  #details: JsonObject[] = [];

  get isEmpty(): boolean {
    return this.#details.length === 0;
  }

  /** Adds the details of a message or a delta. */
  add(list: unknown): void {
    for (const piece of objects(list).filter(saysSomething)) {
      const last = this.#details.at(-1);
      if (last && isSame(last, piece)) {
        merge(last, piece);
      } else if (this.#details.length < MAX_DETAILS) {
        this.#details.push({ ...piece });
      }
    }
  }

  /** Returns the details since the last call. null: none. */
  take(): Seal | null {
    const details = this.#details;
    this.#details = [];
    return details.length > 0 ? { origin: "openrouter", data: JSON.stringify(details) } : null;
  }
}

/** All members of a detail. No others are sent back, since a client may write anything into a signature. */
const MEMBERS = ["type", "id", "format", "index", "text", "summary", "data", "signature"];

const scalar = (value: unknown): boolean => typeof value !== "object" || value === null;

const readDetail = (detail: JsonObject): JsonObject =>
  Object.fromEntries(
    MEMBERS.filter((name) => name in detail && scalar(detail[name])).map((name) => [name, detail[name]]),
  );

/** The text counts as part of the prompt (`carriedText`), whatever a client has written into it. */
function readSeal(block: ThinkingBlock): JsonObject[] {
  if (block.seal?.origin !== "openrouter") {
    return [];
  }
  try {
    return objects(JSON.parse(block.seal.data)).slice(0, MAX_DETAILS).map(readDetail);
  } catch {
    return [];
  }
}

/** The details that an assistant's turn brings back. */
export const detailsIn = (blocks: Block[]): JsonObject[] =>
  blocks.flatMap((block) => (block.type === "thinking" ? readSeal(block) : []));
