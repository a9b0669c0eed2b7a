import { atOnce } from "@/server/base/turns";
import { type JsonObject, textOf } from "../fields";
import type { AnswerEvent, AnswerEvents } from "../pivot/answer";
import { readLogprobsResult } from "../pivot/logprobs";
import type { ToolNames } from "../tools/tool-names";
import { isNameless, isSaid, readCall } from "./answer-in";
import { citationsIn } from "./grounding-in";
import { finishOf, firstOf, isBlocked, isPiece, partsOf, stopOf } from "./normalise";

/** Turns a stream of responses into events. Calls come whole. */
export class GeminiEvents implements AnswerEvents<JsonObject> {
  private readonly names: ToolNames;
  private events: AnswerEvent[] = [];
  private isStarted = false;
  private open: "text" | "thinking" | null = null;
  /** The signature of the open text: it goes after the text, which it would otherwise split in two. */
  private late = "";
  /** The pieces of the open text: citations are found by its words. */
  private texts: string[] = [];
  private next = 0;
  private finish = "";
  private isBroken = false;

  /** `names`: the upstream names of the request's tools. */
  constructor(names: ToolNames) {
    this.names = names;
  }

  read(response: JsonObject): AnswerEvent[] {
    if (!this.isStarted) {
      this.isStarted = true;
      this.events.push({ type: "start", id: textOf(response.responseId) });
    }
    const candidate = firstOf(response);
    if (candidate !== null) {
      for (const part of partsOf(candidate)) {
        this.take(part);
      }
      this.tell(candidate);
      this.cite(candidate);
      // Some vendors send two reasons; the first is the real one, the second only ends the stream.
      this.finish ||= finishOf(candidate);
    } else if (isBlocked(response)) {
      this.finish ||= "SAFETY";
    }
    return this.events.splice(0);
  }

  end(): AnswerEvent[] | null {
    this.close();
    const stop = stopOf(this.finish);
    if (this.isBroken || stop === null) {
      return null;
    }
    this.events.push({ type: "stop", ...stop });
    return this.events.splice(0);
  }

  private take(part: JsonObject): void {
    if (isPiece(part) || isNameless(part, this.names)) {
      this.isBroken = true;
      return;
    }
    const signature = textOf(part.thoughtSignature);
    const call = atOnce(readCall(part, this.names));
    if (signature !== "" && this.open === "text" && isSaid(part)) {
      this.late = signature;
    } else if (signature !== "") {
      this.seal(signature);
    }
    if (call) {
      const { arguments: text, ...block } = call;
      this.close();
      this.events.push({ type: "open", index: this.next++, block });
      this.events.push({ type: "grow", index: this.next - 1, text });
      this.events.push({ type: "close", index: this.next - 1 });
      return;
    }
    this.grow(part.thought === true ? "thinking" : "text", textOf(part.text));
  }

  private grow(type: "text" | "thinking", text: string): void {
    if (text === "") {
      return;
    }
    this.begin(type);
    if (type === "text") {
      this.texts.push(text);
    }
    this.events.push({ type: "grow", index: this.next - 1, text });
  }

  /** Adds the token probabilities of this piece. */
  private tell(candidate: JsonObject): void {
    const logprobs = atOnce(readLogprobsResult(candidate.logprobsResult));
    const grown = this.events.findLast((event) => event.type === "grow" && event.index === this.next - 1);
    if (logprobs.length > 0 && this.open === "text" && grown?.type === "grow") {
      grown.logprobs = logprobs;
    }
  }

  /** Citations come with the end, while their text is still open. */
  private cite(candidate: JsonObject): void {
    if (this.open === "text" && candidate.groundingMetadata !== undefined) {
      for (const citation of atOnce(citationsIn(candidate, this.texts.join("")))) {
        this.events.push({ type: "cite", index: this.next - 1, citation });
      }
    }
  }

  private begin(type: "text" | "thinking"): void {
    if (this.open !== type) {
      this.close();
      this.open = type;
      this.texts = [];
      this.events.push({ type: "open", index: this.next++, block: { type } });
    }
  }

  /** Adds a signature to the thinking before its part, or to empty thinking. */
  private seal(data: string): void {
    this.begin("thinking");
    this.events.push({ type: "seal", index: this.next - 1, seal: { origin: "google", data } });
    this.close();
  }

  private close(): void {
    if (this.open !== null) {
      this.open = null;
      this.events.push({ type: "close", index: this.next - 1 });
    }
    if (this.late !== "") {
      const { late } = this;
      this.late = "";
      this.seal(late);
    }
  }
}
