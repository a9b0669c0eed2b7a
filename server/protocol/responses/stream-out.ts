import { atOnce } from "@/server/base/turns";
import { type JsonObject, objects } from "../fields";
import { MAX_AT_ONCE_CHARACTERS } from "../json-turns";
import { LongWords } from "../long-words";
import type { AnswerEvent, BlockHead, Stop } from "../pivot/answer";
import type { Citation } from "../pivot/citations";
import { type TokenLogprob, writeByteLogprobs } from "../pivot/logprobs";
import { eventFrame, namedEventFrame } from "../sse";
import { type Counted, costMember, type StreamError, type StreamWriter } from "../upstream-plan";
import {
  annotationOf,
  callItem,
  incompleteReason,
  messageItem,
  type ResponseForm,
  reasoningItem,
  textPart,
  writeResponse,
} from "./answer-out";
import { errorOf } from "./error-out";
import { newItem, newPart, type OpenItem, type OpenPart, partOf } from "./items-begun";
import { writeResponsesUsage } from "./usage-out";

/**
 * Events to a client of the Responses API. Each has the next number, each item one identifier from its first event to
 * the last, and the last event the whole response. `keep`: is given that response.
 */
export class ResponsesOut implements StreamWriter<AnswerEvent> {
  private readonly form: ResponseForm;
  private readonly keep: (response: JsonObject) => void;
  private readonly long = new LongWords();
  /** Of all that was said, which the last events say again. */
  private characters = 0;
  private sequence = 0;
  private readonly output: JsonObject[] = [];
  private open: OpenItem | null = null;
  /** Of the item that is open. */
  private itemId = "";
  private stop: Stop = { reason: "end", sequence: null };

  constructor(form: ResponseForm, keep: (response: JsonObject) => void) {
    this.form = form;
    this.keep = keep;
  }

  /**
   * A comment does not reset Codex' timer; this event may come again, and every client knows it. openai's SDKs take its
   * response for all that there is, so it has what has come.
   */
  keepAlive(): string {
    // Nothing may come before the first event.
    return this.sequence === 0 ? "" : this.event("response.in_progress", { response: this.begun() });
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "start":
        return this.event("response.created", { response: this.begun() }) + this.keepAlive();
      case "open":
        return this.begin(event.block);
      case "grow":
        return this.grow(event.text, event.logprobs);
      case "cite":
        return this.cite(event.citation);
      case "seal":
        if (this.open?.kind === "thinking") {
          this.open.seal = event.seal;
        }
        return "";
      case "close":
        return this.closePart();
      case "stop":
        this.stop = event;
        return "";
    }
  }

  end({ usage }: Counted): string {
    const last = this.finish(this.stop.reason === "length");
    const incomplete = incompleteReason(this.stop, this.output);
    const status = incomplete === null ? "completed" : "incomplete";
    const response = writeResponse(this.form, {
      status,
      output: this.output,
      usage: { ...writeResponsesUsage(usage), ...costMember(this.form.context, usage) },
      incomplete,
    });
    this.keep(response);
    return last + this.event(`response.${status}`, { response }) + this.long.say(eventFrame("[DONE]"));
  }

  /** Both, for neither alone is heard by every client: openai's SDKs throw on the first, Codex reads the second. */
  fail({ code, message, sentence = message }: Omit<StreamError, "data">): string {
    const error = errorOf({ code, message: sentence });
    // What has come of the item at hand stays with its client: it was cut off.
    const cut = this.open === null ? [] : [{ ...this.unfinished(this.open), status: "incomplete" }];
    const output = [...this.output, ...cut];
    const response = writeResponse(this.form, { status: "failed", output, usage: null, error });
    this.keep(response);
    return (
      this.event("error", { ...error, param: null }) +
      this.event("response.failed", { response }) +
      this.long.say(eventFrame("[DONE]"))
    );
  }

  private begun(): JsonObject {
    const growing = this.open === null ? [] : [this.unfinished(this.open)];
    const output = [...this.output, ...growing];
    return writeResponse(this.form, { status: "in_progress", output, usage: null });
  }

  rest(): Iterable<string> | null {
    return this.long.rest();
  }

  private event(type: string, rest: JsonObject): string {
    const event = { type, sequence_number: this.sequence++, ...rest };
    // All but a delta may say again what was said.
    return rest.delta !== undefined || this.characters <= MAX_AT_ONCE_CHARACTERS
      ? this.long.say(namedEventFrame(type, JSON.stringify(event)))
      : this.long.event(type, event);
  }

  private ofItem(type: string, rest: JsonObject): string {
    return this.event(`response.${type}`, { output_index: this.output.length, ...rest });
  }

  private place(isCut = false) {
    return { position: this.output.length, isCut };
  }

  /** The item as it stands. */
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
          callItem(this.form, { ...open, arguments: open.texts.join(""), input: open.input?.said }, place),
        );
    }
  }

  /** What is said in a row is one message of several parts. */
  private begin(block: BlockHead): string {
    if ((block.type === "text" || block.type === "refusal") && this.open?.kind === "message") {
      return this.beginPart(this.open, block.type);
    }
    const before = this.finish();
    this.open = newItem(block, (name) => this.form.tools.named(name).isFreeText);
    return before + this.added(this.open) + this.firstPart(block);
  }

  /** The item that is open, as a client has it by now. */
  private unfinished(open: OpenItem): JsonObject {
    const { encrypted_content: _sealed, ...item } = this.item(open);
    // Arguments that nothing has come of yet are not those of a call without any.
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

  private grow(text: string, logprobs: TokenLogprob[] = []): string {
    const { open } = this;
    this.characters += text.length;
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

  private cite(citation: Citation): string {
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

  private growSummary(open: OpenItem & { kind: "thinking" }, text: string): string {
    const place = { item_id: this.itemId, summary_index: 0 };
    const part = { type: "summary_text", text: "" };
    const added =
      open.texts.length === 0 ? this.ofItem("reasoning_summary_part.added", { ...place, part }) : "";
    open.texts.push(text);
    return added + this.ofItem("reasoning_summary_text.delta", { ...place, delta: text });
  }

  /** The part of a message that is open. Whatever else is open ends when it is known whether it was cut off. */
  private closePart(): string {
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

  private finish(isCut = false): string {
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
