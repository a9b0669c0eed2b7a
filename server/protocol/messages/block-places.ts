import { isJsonObject, type JsonObject, textOf } from "../fields";

/** Whether an event shows that a message has begun, although its start is missing. */
export const startsBlock = ({ type }: JsonObject): boolean =>
  type === "content_block_start" || type === "content_block_delta";

const isThinkingDelta = ({ type }: JsonObject): boolean =>
  type === "thinking_delta" || type === "signature_delta";

/** The start of a block that begins with this delta. */
const blockOf = (delta: JsonObject): JsonObject =>
  isThinkingDelta(delta) ? { type: "thinking", thinking: "", signature: "" } : { type: "text", text: "" };

const isCallKind = (kind: string | undefined): boolean => kind?.endsWith("tool_use") === true;

/** Whether a delta cannot belong to a block of this type, and begins another one. An empty one belongs to any. */
function isOtherKind(kind: string | undefined, delta: JsonObject): boolean {
  const isThinking = isThinkingDelta(delta) && Boolean(delta.thinking || delta.signature);
  const isText = delta.type === "text_delta" && Boolean(delta.text);
  return (
    (kind === "text" && isThinking) ||
    (kind === "thinking" && isText) ||
    (isCallKind(kind) && (isThinking || isText))
  );
}

const DIGITS = /^\d{1,4}$/;

/** The vendor's number of an event's block. */
export const numberIn = ({ index }: JsonObject): number | null => {
  const number = typeof index === "string" && DIGITS.test(index) ? Number(index) : index;
  return Number.isInteger(number) ? Number(number) : null;
};

const stopOf = (index: number): JsonObject => ({ type: "content_block_stop", index });

type PlacedBlock = { number: number | null; kind: string; id: string; isOpen: boolean };

/**
 * The blocks of a stream, one after the other, numbered from 0 in the order in which they begin, as the SDKs assemble
 * them. Vendors in between leave the number out, write it as text, begin at 1, number every block alike, leave out the
 * start or the end of a block, or continue one that has ended.
 */
export class BlockPlaces {
  /** The index of the latest block with each number of the vendor. */
  private readonly places = new Map<number, number>();
  private readonly blocks: PlacedBlock[] = [];
  /** How often a block has begun or ended. */
  changes = 0;

  /** The open block. null: the last one has ended. */
  get open(): { index: number; number: number | null } | null {
    const block = this.blocks.at(-1);
    return block?.isOpen ? { index: this.blocks.length - 1, number: block.number } : null;
  }

  /** Whether an event is of another block than the open one. Pieces of a call may have a wrong number. */
  isOfOther(event: JsonObject): boolean {
    const latest = this.latest(event);
    const kind = latest === undefined ? undefined : this.blocks[latest]?.kind;
    if (event.type === "content_block_start") {
      return numberIn(event) !== this.open?.number;
    }
    const isPiece = isJsonObject(event.delta) && event.delta.type === "input_json_delta";
    return kind !== undefined && latest !== this.open?.index && (!isPiece || isCallKind(kind));
  }

  /** Ends the open block; returns the event. */
  end(): JsonObject[] {
    const { open } = this;
    return open === null ? [] : this.endOf(open.index);
  }

  /**
   * Gives an event of a block its index. Returns the events that are missing before it: an earlier block's end, or the
   * block's start. null: the event repeats a start, or ends a block that never started. "lost": it continues a call
   * whose start never came.
   */
  place(event: JsonObject): JsonObject[] | null | "lost" {
    switch (event.type) {
      case "content_block_start":
        return this.placeStart(event);
      case "content_block_delta":
        return this.placeDelta(event, isJsonObject(event.delta) ? event.delta : {});
      case "content_block_stop":
        return this.placeStop(event);
      default:
        return [];
    }
  }

  private latest(event: JsonObject): number | undefined {
    const number = numberIn(event);
    return number === null ? this.last : this.places.get(number);
  }

  private get last(): number | undefined {
    return this.blocks.length > 0 ? this.blocks.length - 1 : undefined;
  }

  private begin(event: JsonObject, { type, id }: JsonObject): void {
    const number = numberIn(event);
    const index = this.blocks.push({ number, kind: textOf(type), id: textOf(id), isOpen: true }) - 1;
    this.changes++;
    if (number !== null) {
      this.places.set(number, index);
    }
    event.index = index;
  }

  private endOf(index: number | undefined): JsonObject[] {
    const block = index === undefined ? undefined : this.blocks[index];
    if (index === undefined || !block?.isOpen) {
      return [];
    }
    block.isOpen = false;
    this.changes++;
    return [stopOf(index)];
  }

  private placeStart(event: JsonObject): JsonObject[] | null {
    const started = isJsonObject(event.content_block) ? event.content_block : { type: "text" };
    const before = numberIn(event) === null ? undefined : this.latest(event);
    const block = before === undefined ? undefined : this.blocks[before];
    if (block?.isOpen && block.kind === started.type && block.id === textOf(started.id)) {
      return null;
    }
    const ended = this.end();
    this.begin(event, started);
    return ended;
  }

  private placeDelta(event: JsonObject, delta: JsonObject): JsonObject[] | "lost" {
    const latest = this.latest(event);
    const block = latest === undefined ? undefined : this.blocks[latest];
    const kind = block?.kind;
    if (delta.type === "input_json_delta" && !isCallKind(kind)) {
      const { open } = this;
      event.index = open?.index;
      return open !== null && isCallKind(this.blocks[open.index]?.kind) ? [] : "lost";
    }
    const isLate = block?.isOpen === false && Boolean(delta.text || delta.thinking);
    if (latest !== undefined && !isLate && !isOtherKind(kind, delta)) {
      event.index = latest;
      return [];
    }
    const ended = this.end();
    const started = blockOf(delta);
    this.begin(event, started);
    return [...ended, { type: "content_block_start", index: event.index, content_block: started }];
  }

  private placeStop(event: JsonObject): [] | null {
    const index = this.latest(event);
    event.index = index;
    return this.endOf(index).length > 0 ? [] : null;
  }
}
