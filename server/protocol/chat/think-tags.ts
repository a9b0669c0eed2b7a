import { type JsonObject, textOf } from "../fields";

/** Thinking that a model writes into its text, between `<think>` and `</think>` at the very beginning. */
const OPEN = "<think>";
const CLOSE = "</think>";

/** The most white space in front of the tag: a text that starts with more has no thinking there. */
const MAX_BLANKS = 200;

type Split = { thinking: string; text: string };

/** How many characters at the end of `text` may be the beginning of `tag`. */
function begunAtEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) {
      return length;
    }
  }
  return 0;
}

/**
 * Splits the text of one message as it arrives. Holds back characters that may be part of a tag until more text comes.
 */
export class ThinkTags {
  #place: "before" | "thinking" | "gap" | "text" = "before";
  #held = "";

  /** The rest of the message is only text. */
  get isPast(): boolean {
    return this.#place === "text";
  }

  push(piece: string): Split {
    let rest = this.#held + piece;
    this.#held = "";
    let thinking = "";
    if (this.#place === "before") {
      const start = rest.trimStart();
      const mayBegin = rest.length - start.length <= MAX_BLANKS;
      if (mayBegin && start.length < OPEN.length && OPEN.startsWith(start)) {
        this.#held = rest;
        return { thinking, text: "" };
      }
      const isTagged = mayBegin && start.startsWith(OPEN);
      this.#place = isTagged ? "thinking" : "text";
      rest = isTagged ? start.slice(OPEN.length) : rest;
    }
    if (this.#place === "thinking") {
      const end = rest.indexOf(CLOSE);
      const heldFrom = rest.length - begunAtEnd(rest, CLOSE);
      thinking = rest.slice(0, end === -1 ? heldFrom : end);
      if (end === -1) {
        this.#held = rest.slice(heldFrom);
        return { thinking, text: "" };
      }
      this.#place = "gap";
      rest = rest.slice(end + CLOSE.length);
    }
    if (this.#place === "gap") {
      rest = rest.trimStart();
      this.#place = rest === "" ? "gap" : "text";
    }
    return { thinking, text: rest };
  }

  /** Returns the characters held back, at the end of the message. */
  end(): Split {
    const held = this.#held;
    this.#held = "";
    return this.#place === "thinking" ? { thinking: held, text: "" } : { thinking: "", text: held };
  }
}

/** Splits the text of a message or a delta. `isLast`: no more text follows. Changes the object that it is given. */
export function splitThinking(message: JsonObject, tags: ThinkTags, isLast: boolean): void {
  const { content } = message;
  const parts = [tags.push(textOf(content)), ...(isLast ? [tags.end()] : [])];
  const text = parts.map((part) => part.text).join("");
  const thinking = parts.map((part) => part.thinking).join("");
  if (typeof content === "string" || text !== "") {
    message.content = text;
  }
  if (thinking !== "") {
    message.reasoning_content = textOf(message.reasoning_content) + thinking;
  }
}
