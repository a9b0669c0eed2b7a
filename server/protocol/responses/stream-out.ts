import { LongWords } from "../answers/long-words";
import { eventFrame } from "../answers/sse";
import type { JsonObject } from "../fields";
import type { AnswerEvent, Stop } from "../pivot/answer";
import { type CountedUsage, costMember, type StreamError, type StreamWriter } from "../upstream-plan";
import { incompleteReason, type ResponseForm, writeResponse } from "./answer-out";
import { errorOf } from "./error-out";
import { ItemEvents } from "./item-events";
import { writeResponsesUsage } from "./usage-out";

/**
 * Writes events for a client of the Responses API. They are numbered, each item has one identifier from its first event
 * to the last, and the last event has the whole response. `keep`: gets that response.
 */
export class ResponsesOut implements StreamWriter<AnswerEvent> {
  private readonly form: ResponseForm;
  private readonly keep: (response: JsonObject) => void;
  private readonly long = new LongWords();
  private sequence = 0;
  private readonly items: ItemEvents;
  private stop: Stop = { reason: "end", sequence: null };

  constructor(form: ResponseForm, keep: (response: JsonObject) => void) {
    this.form = form;
    this.keep = keep;
    this.items = new ItemEvents(form, (type, rest) => this.event(type, rest));
  }

  /**
   * A comment does not reset Codex' timer; this event may repeat, and every client knows it. openai's SDKs replace
   * their whole state by its response, so it has all output so far.
   */
  keepAlive(): string {
    // No event may come before the first one.
    return this.sequence === 0 ? "" : this.event("response.in_progress", { response: this.begun() });
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "start":
        return this.event("response.created", { response: this.begun() }) + this.keepAlive();
      case "open":
        return this.items.begin(event.block);
      case "grow":
        return this.items.grow(event.text, event.logprobs);
      case "cite":
        return this.items.cite(event.citation);
      case "seal":
        this.items.seal(event.seal);
        return "";
      case "close":
        return this.items.closePart();
      case "stop":
        this.stop = event;
        return "";
    }
  }

  end({ usage }: CountedUsage): string {
    const last = this.items.finish(this.stop.reason === "length");
    const { output } = this.items;
    const incomplete = incompleteReason(this.stop, output);
    const status = incomplete === null ? "completed" : "incomplete";
    const response = writeResponse(this.form, {
      status,
      output,
      usage: { ...writeResponsesUsage(usage), ...costMember(this.form.context, usage) },
      incomplete,
    });
    this.keep(response);
    return last + this.event(`response.${status}`, { response }) + this.long.say(eventFrame("[DONE]"));
  }

  /**
   * Sends two events, since some clients read only one of them: openai's SDKs throw on the first, Codex reads the
   * second.
   */
  fail({ code, message, sentence = message }: Omit<StreamError, "data">): string {
    const error = errorOf({ code, message: sentence });
    // The client keeps its part of the open item, which was cut off.
    const output = this.items.soFar("incomplete");
    const response = writeResponse(this.form, { status: "failed", output, usage: null, error });
    this.keep(response);
    return (
      this.event("error", { ...error, param: null }) +
      this.event("response.failed", { response }) +
      this.long.say(eventFrame("[DONE]"))
    );
  }

  private begun(): JsonObject {
    const output = this.items.soFar("in_progress");
    return writeResponse(this.form, { status: "in_progress", output, usage: null });
  }

  rest(): Iterable<string> | null {
    return this.long.rest();
  }

  private event(type: string, rest: JsonObject): string {
    return this.long.event(type, { type, sequence_number: this.sequence++, ...rest });
  }
}
