/**
 * `reasoning_details` (OpenRouter): the pieces of thinking that its vendor wants back unchanged, text, summaries and what is
 * encrypted. Clients of other dialects carry them in the signature of their thinking.
 */
import { type JsonObject, objects } from "../fields";
import type { Block, Seal } from "../pivot/conversation";

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

/** Those of a message, or of a stream so far. */
export class ReasoningDetails {
  #details: JsonObject[] = [];

  get isEmpty(): boolean {
    return this.#details.length === 0;
  }

  /** Takes a message's, or a delta's. */
  add(sent: unknown): void {
    for (const piece of objects(sent)) {
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

function readSeal({ data }: Seal): JsonObject[] {
  try {
    return objects(JSON.parse(data));
  } catch {
    // A client may write what it likes into a signature.
    return [];
  }
}

/** Those that an assistant's turn brings back. */
export const detailsIn = (blocks: Block[]): JsonObject[] =>
  blocks.flatMap((block) =>
    block.type === "thinking" && block.seal?.origin === "openrouter" ? readSeal(block.seal) : [],
  );
