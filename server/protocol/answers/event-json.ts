import { isJsonObject, type JsonObject, objects } from "../fields";
import { readMereWords, readStatedError, saysFailure, type UpstreamWords } from "../upstream-error";
import { parseWithoutPrice } from "../usage/vendor-price";
import { isPart, openEnvelope } from "./envelope";

/** The words by which vendors name an event that only shows that they are at work. */
const LIFE = /^[\s["'<]*(?:.*\.)?(?:ping|pong|heart[-_ ]?beat|keep[-_ ]?alive)[\s\]"'>]*$/i;

/** Whether a text is such a word. */
export const isSignOfLife = (text: string): boolean => text.length < 64 && LIFE.test(text);

const isText = (value: unknown): value is string => typeof value === "string";

/** Whether an event has only such a word: as its kind, or as a member or a value. Most events have a kind. */
function isAliveOnly(event: JsonObject): boolean {
  const kind = event.type ?? event.object ?? event.event;
  if (isText(kind)) {
    return isSignOfLife(kind);
  }
  const names = Object.keys(event);
  return (
    names.length === 0 ||
    (!isPart(event) &&
      !isJsonObject(event.usage) &&
      !saysFailure(event) &&
      [...names, ...Object.values(event).filter(isText)].some(isSignOfLife))
  );
}

/** A text without a piece of JSON or a page: an event that was cut off is no such text. */
const WORDS = /^[^{}[\]"<>]*$/;

/** `noise`: words, numbers and the like, which are no event of any dialect. `isOpened`: it came in an envelope. */
type EventJson =
  | { kind: "json"; value: unknown; isOpened: boolean }
  | { kind: "ping" }
  | { kind: "noise"; words: string }
  | { kind: "malformed" };

/** Whether JSON has no event of any dialect. */
const isNoEvent = (value: unknown): boolean =>
  Array.isArray(value) ? objects(value).length === 0 : !isJsonObject(value);

/** Reads the `data` of one event of a stream. `parsed`: its JSON, if already parsed. */
export function readEventJson(data: string, parsed?: unknown): EventJson {
  if (data.trim() === "") {
    return { kind: "ping" };
  }
  let value: unknown;
  try {
    value = parsed ?? parseWithoutPrice(data);
  } catch {
    const other: EventJson = WORDS.test(data) ? { kind: "noise", words: data.trim() } : { kind: "malformed" };
    return isSignOfLife(data) ? { kind: "ping" } : other;
  }
  // Some gateways in between send a list of one.
  const sent = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
  const event = openEnvelope(sent);
  if (isNoEvent(event)) {
    const words = isText(event) ? event : data.trim();
    return isSignOfLife(words) ? { kind: "ping" } : { kind: "noise", words };
  }
  const isAlive = isJsonObject(event) && isAliveOnly(event);
  return isAlive ? { kind: "ping" } : { kind: "json", value: event, isOpened: event !== sent };
}

/**
 * Whether an event belongs to no dialect: a gateway in between may add its own events to an answer, and before it.
 * `isStarted`: some of the answer has come.
 */
export const isForeign = (event: unknown, isStarted: boolean): boolean =>
  isJsonObject(event) && (isStarted || !isPart(event));

/**
 * Reads the events of one stream. An event without any sign of an error but words may be one, or a notice of a gateway
 * in between, and so may an error in an envelope if the answer comes without one. The vendor may be at work, so the
 * stream goes on after it.
 */
export class SentEvents {
  /** The words of the latest such event, unless the answer went on after it: the error of a stream without an end. */
  doubt: UpstreamWords | null = null;
  /** A part of the answer came without an envelope. */
  private isBare = false;
  /** `doubt` has the form of an error. */
  private isStated = false;
  private last: string | null = null;

  /**
   * Notes the event that has the reason for the answer's end, and its counts. Some vendors send it twice, with its text:
   * one more event with the same totals has no new text.
   */
  ended(data: string): void {
    // A copy: a slice would keep everything that the network delivered with it in memory.
    this.last ??= Buffer.from(data).toString();
  }

  read(data: string, parsed?: unknown): Exclude<EventJson, { kind: "noise" }> {
    if (data === this.last) {
      return { kind: "ping" };
    }
    const sent = readEventJson(data, parsed);
    if (sent.kind === "noise") {
      this.doubt = { message: sent.words, status: null };
      this.isStated = false;
      return { kind: "ping" };
    }
    if (sent.kind !== "json") {
      return sent;
    }
    const { value, isOpened } = sent;
    const isOfAnswer = isJsonObject(value) && isPart(value);
    // Most events are parts of the answer, and cost no search for words.
    const mere = isOfAnswer ? null : readMereWords(value);
    const isStated = isOpened && this.isBare;
    const words = isStated ? readStatedError(value) : mere;
    if (words) {
      this.doubt = words;
      this.isStated = isStated;
      return { kind: "ping" };
    }
    if (isOfAnswer) {
      this.isBare ||= !isOpened;
      this.doubt = null;
    }
    return sent;
  }

  /**
   * The event that ends a stream. `isReadable`: there is an answer. Some vendors name no other end: then mere words
   * before it are no error.
   */
  end({ isReadable, isFinished }: { isReadable: boolean; isFinished: boolean }) {
    if (this.doubt !== null && !isFinished && (this.isStated || !isReadable)) {
      return { kind: "error" as const, words: this.doubt };
    }
    return { kind: isReadable ? ("done" as const) : ("malformed" as const) };
  }
}
