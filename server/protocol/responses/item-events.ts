import { atOnce } from "@/server/base/turns";
import { type JsonObject, objects } from "../fields";
import type { BlockHead } from "../pivot/answer";
import type { Citation } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import { type TokenLogprob, writeByteLogprobs } from "../pivot/logprobs";
import {
  annotationOf,
  callItem,
  messageItem,
  type ResponseForm,
  reasoningItem,
  textPart,
} from "./answer-out";
import { newItem, newPart, type OpenItem, type OpenPart, partOf } from "./items-begun";

/**
 * Writes the events of a stream's items: each item is added, grows in its parts and is done, under one identifier.
 * `write`: adds an event's number and returns its text.
 */
export class ItemEvents {
  /** The finished items. */
  readonly output: JsonObject[] = [];
  private readonly form: ResponseForm;
  private readonly write: (type: string, rest: JsonObject) => string;
  private open: OpenItem | null = null;
  /** The identifier of the open item. */
  private itemId = "";

  constructor(form: ResponseForm, write: (type: string, rest: JsonObject) => string) {
    this.form = form;
    this.write = write;
  }

  /** The items that the client has so far. `status`: of the open one. */
  soFar(status: "in_progress" | "incomplete"): JsonObject[] {
    const growing = this.open === null ? [] : [{ ...this.unfinished(this.open), status }];
    // A copy: a long event is printed later.
    return [...this.output, ...growing];
  }

  private ofItem(type: string, rest: JsonObject): string {
    return this.write(`response.${type}`, { output_index: this.output.length, ...rest });
  }

  private place(isCut = false) {
    return { position: this.output.length, isCut };
  }

  /** The item in its current state. */
  private item(open: OpenItem, isCut = false): JsonObject {
    const place = this.place(isCut);
    switch (open.kind) {
      case "message": {
        const { part, parts } = open;
        const growing = part === null ? [] : [partOf(part)];
        return messageItem(this.form, [...parts, ...growing], place);
      }
      case "thinking":
        return reasoningItem(
          this.form,
          { type: "thinking", text: open.texts.join(""), seal: open.seal },
          place,
        );
      case "redacted":
        return reasoningItem(this.form, { type: "redacted", data: open.data }, place);
      case "call":
        return atOnce(
          callItem(this.form, { ...open, arguments: open.texts.join(""), input: open.input?.content }, place),
        );
    }
  }

  /** Consecutive texts and refusals are one message of several parts. */
  begin(block: BlockHead): string {
    if ((block.type === "text" || block.type === "refusal") && this.open?.kind === "message") {
      return this.beginPart(this.open, block.type);
    }
    const before = this.finish();
    this.open = newItem(block, (name) => this.form.tools.named(name).isFreeText);
    return before + this.added(this.open) + this.firstPart(block);
  }

  /** The open item as its client has it so far. */
  private unfinished(open: OpenItem): JsonObject {
    const { encrypted_content: _sealed, ...item } = this.item(open);
    // A call whose arguments have not started is not a call without arguments.
    const isBlank = item.type === "function_call" && open.kind === "call" && open.texts.length === 0;
    return { ...item, ...(isBlank && { arguments: "" }), status: "in_progress" };
  }

  private added(open: OpenItem): string {
    const item = this.unfinished(open);
    this.itemId = String(item.id);
    return this.ofItem("output_item.added", { item });
  }

  private firstPart(block: BlockHead): string {
    const isSaid = block.type === "text" || block.type === "refusal";
    return isSaid && this.open?.kind === "message" ? this.beginPart(this.open, block.type) : "";
  }

  private beginPart(open: OpenItem & { kind: "message" }, type: "text" | "refusal"): string {
    open.part = newPart(type);
    return this.ofItem("content_part.added", {
      ...this.partPlace(open),
      part: atOnce(textPart({ type, text: "" })),
    });
  }

  private partPlace(open: OpenItem & { kind: "message" }): JsonObject {
    return { item_id: this.itemId, content_index: open.parts.length };
  }

  grow(text: string, logprobs: TokenLogprob[] = []): string {
    const { open } = this;
    switch (open?.kind) {
      case "message":
        return open.part === null ? "" : this.growPart(open, open.part, { text, logprobs });
      case "thinking":
        return this.growSummary(open, text);
      case "call":
        if (open.input !== null) {
          return this.growInput(open.input.read(text));
        }
        open.texts.push(text);
        return this.ofItem("function_call_arguments.delta", { item_id: this.itemId, delta: text });
      default:
        return "";
    }
  }

  private growInput(delta: string): string {
    return delta === "" ? "" : this.ofItem("custom_tool_call_input.delta", { item_id: this.itemId, delta });
  }

  private growPart(
    open: OpenItem & { kind: "message" },
    part: OpenPart,
    { text, logprobs }: { text: string; logprobs: TokenLogprob[] },
  ): string {
    part.texts.push(text);
    part.keep(logprobs);
    return part.type === "text"
      ? this.ofItem("output_text.delta", {
          ...this.partPlace(open),
          delta: text,
          logprobs: atOnce(writeByteLogprobs(logprobs)),
        })
      : this.ofItem("refusal.delta", { ...this.partPlace(open), delta: text });
  }

  cite(citation: Citation): string {
    const { open } = this;
    if (open?.kind !== "message" || open.part?.type !== "text") {
      return "";
    }
    const annotation_index = open.part.citations.push(citation) - 1;
    const annotation = annotationOf(citation);
    return this.ofItem("output_text.annotation.added", {
      ...this.partPlace(open),
      annotation_index,
      annotation,
    });
  }

  seal(seal: Seal): void {
    if (this.open?.kind === "thinking") {
      this.open.seal = seal;
    }
  }

  private growSummary(open: OpenItem & { kind: "thinking" }, text: string): string {
    const place = { item_id: this.itemId, summary_index: 0 };
    const part = { type: "summary_text", text: "" };
    const added =
      open.texts.length === 0 ? this.ofItem("reasoning_summary_part.added", { ...place, part }) : "";
    open.texts.push(text);
    return added + this.ofItem("reasoning_summary_text.delta", { ...place, delta: text });
  }

  /** Closes the open part of a message. Any other open item ends later, when it is known whether it was cut off. */
  closePart(): string {
    const { open } = this;
    if (open?.kind !== "message" || open.part === null) {
      return "";
    }
    const part = partOf(open.part);
    const { text, refusal, logprobs } = part;
    const place = this.partPlace(open);
    const done =
      open.part.type === "text"
        ? this.ofItem("output_text.done", { ...place, text, logprobs })
        : this.ofItem("refusal.done", { ...place, refusal });
    open.part = null;
    open.parts.push(part);
    return done + this.ofItem("content_part.done", { ...place, part });
  }

  finish(isCut = false): string {
    const { open } = this;
    if (open === null) {
      return "";
    }
    const rest = open.kind === "call" && open.input !== null ? this.growInput(open.input.rest()) : "";
    const parts = this.closePart() + rest;
    const item = this.item(open, isCut);
    const done = parts + this.lastWords(open, item) + this.ofItem("output_item.done", { item });
    this.open = null;
    this.output.push(item);
    return done;
  }

  private lastWords(open: OpenItem, item: JsonObject): string {
    const item_id = item.id;
    if (open.kind === "call") {
      if (item.type === "function_call") {
        return this.ofItem("function_call_arguments.done", {
          item_id,
          name: item.name,
          arguments: item.arguments,
        });
      }
      return this.ofItem("custom_tool_call_input.done", { item_id, input: item.input });
    }
    const [part] = open.kind === "thinking" ? objects(item.summary) : [];
    if (part === undefined) {
      return "";
    }
    const place = { item_id, summary_index: 0 };
    return (
      this.ofItem("reasoning_summary_text.done", { ...place, text: part.text }) +
      this.ofItem("reasoning_summary_part.done", { ...place, part })
    );
  }
}
