import { namedEventFrame } from "../answers/sse";
import { chatErrorFrame, KEEP_ALIVE } from "../chat/writer";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { AnswerStream, CountedUsage } from "../upstream-plan";
import { mayTellPrice } from "../usage/vendor-price";
import type { KnownForwarded, SoldAt } from "./forwarded";
import { countPictures, isPicture } from "./images";
import { readStreamEvent } from "./stream-event";

/** An unfinished picture (OpenAI), each finer than the one before. */
const isSketch = ({ type }: JsonObject): boolean => textOf(type).endsWith(".partial_image");

/** A failed picture of a series (Ark): the others still come. */
const isFailed = ({ type }: JsonObject): boolean => textOf(type).endsWith(".partial_failed");

const isLast = ({ type }: JsonObject): boolean => textOf(type).endsWith(".completed");

/** A whole answer as events, for a vendor that does not stream. */
export function imageEvents(answer: JsonObject): JsonObject[] {
  const { data, ...rest } = answer;
  const pictures = objects(data);
  return pictures.map((picture, index) => {
    const { usage, ...each } = rest;
    const isEnd = index === pictures.length - 1;
    return {
      type: "image_generation.completed",
      ...each,
      ...picture,
      ...(isEnd && usage !== undefined && { usage }),
    };
  });
}

/**
 * Forwards events of pictures unchanged. A client that has only a sketch of a picture pays for the picture, because the
 * last sketch is as good.
 */
export class ImageStream implements AnswerStream {
  readonly #request: KnownForwarded;
  readonly #sold: SoldAt;
  #made = 0;
  #isSketched = false;
  #usage: JsonObject | null = null;
  #kind: JsonObject = {};
  isStarted = false;
  isFinished = false;
  readonly isCut = false;

  constructor(request: KnownForwarded, sold: SoldAt) {
    this.#request = request;
    this.#sold = sold;
  }

  readonly keepAlive = () => KEEP_ALIVE;

  push(data: string): ReturnType<AnswerStream["push"]> {
    const read = readStreamEvent(data, isFailed);
    if (read.kind !== "event") {
      return read;
    }
    const { event, text } = read;
    this.#note(event);
    const isOurs = event.model !== undefined || mayTellPrice(text) || /[\r\n]/.test(text);
    const publicEvent = event.model === undefined ? event : { ...event, model: this.#request.model };
    const frame = namedEventFrame(textOf(event.type), isOurs ? JSON.stringify(publicEvent) : text);
    return { kind: "frames", text: frame, isWork: true };
  }

  #note(event: JsonObject): void {
    this.isStarted = true;
    if (isSketch(event)) {
      this.#isSketched = true;
    } else if (isPicture({ b64_json: event.b64_json, url: event.url })) {
      this.#made++;
      this.#isSketched = false;
    }
    this.isFinished ||= isLast(event);
    const { size, quality } = event;
    this.#kind = {
      ...this.#kind,
      ...(size !== undefined && { size }),
      ...(quality !== undefined && { quality }),
    };
    // Counts of a stream are totals; the latest one applies (docs/decisions/0019).
    this.#usage = isJsonObject(event.usage) ? event.usage : this.#usage;
  }

  ending(): string {
    return "";
  }

  readonly failing = chatErrorFrame;

  settled(): CountedUsage {
    const count = this.#made + (this.#isSketched ? 1 : 0);
    const data = Array.from({ length: count }, () => ({ url: "drawn" }));
    // The vendor's counts lack a picture that is not finished.
    const counts = this.#usage !== null && !this.#isSketched ? { usage: this.#usage } : {};
    return countPictures({ ...this.#kind, data, ...counts }, this.#request, this.#sold);
  }
}
