/**
 * `reasoning_details` (OpenRouter): the pieces of thinking that its vendor wants back unchanged, text, summaries and what is
 * encrypted. Clients of other dialects carry them in the signature of their thinking.
 */
import { type JsonObject, objects, textOf } from "../fields";
import type { Block, Seal, ThinkingBlock } from "../pivot/conversation";

/** Members of which a stream sends one piece after the other. */
const GROWING = ["text", "summary", "data"] as const;

/** More than any model makes: the latest is compared with every piece. */
const MAX_DETAILS = 1_000;

const isSame = (one: JsonObject, other: JsonObject): boolean =>
  one.type === other.type && one.index === other.index && (!one.id || !other.id || one.id === other.id);

function merge(detail: JsonObject, piece: JsonObject): void {
  const grown = GROWING.filter((name) => typeof detail[name] === "string" && typeof piece[name] === "string");
  const texts = grown.map((name) => [name, `${detail[name]}${piece[name]}`]);
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  Object.assign(detail, Object.fromEntries(said), Object.fromEntries(texts));
}

const saysSomething = (piece: JsonObject): boolean =>
  [...GROWING, "signature"].some((name) => textOf(piece[name]) !== "");

/** Those of a message, or of a stream so far. */
export class ReasoningDetails {
  #details: JsonObject[] = [];

  get isEmpty(): boolean {
    return this.#details.length === 0;
  }

  /** Takes a message's, or a delta's. */
  add(sent: unknown): void {
    for (const piece of objects(sent).filter(saysSomething)) {
      const last = this.#details.at(-1);
      if (last && isSame(last, piece)) {
        merge(last, piece);
      } else if (this.#details.length < MAX_DETAILS) {
        this.#details.push({ ...piece });
      }
    }
  }

  /** What has come since the last time. null: nothing. */
  take(): Seal | null {
    const details = this.#details;
    this.#details = [];
    return details.length > 0 ? { origin: "openrouter", data: JSON.stringify(details) } : null;
  }
}

/** All that one has. Nothing else is sent back, since a client may write into a signature what it likes. */
const MEMBERS = ["type", "id", "format", "index", "text", "summary", "data", "signature"];

const scalar = (value: unknown): boolean => typeof value !== "object" || value === null;

const readDetail = (sent: JsonObject): JsonObject =>
  Object.fromEntries(
    MEMBERS.filter((name) => name in sent && scalar(sent[name])).map((name) => [name, sent[name]]),
  );

/** All of it is counted as a part of the prompt (`carriedText`), whatever a client has written into it. */
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

/** Those that an assistant's turn brings back. */
export const detailsIn = (blocks: Block[]): JsonObject[] =>
  blocks.flatMap((block) => (block.type === "thinking" ? readSeal(block) : []));
