import { atOnce } from "@/server/base/turns";
import type { Capabilities } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { AnswerEvent, AnswerEvents, BlockHead } from "../pivot/answer";
import { type Citation, lengthOf, moved } from "../pivot/citations";
import type { TokenLogprob } from "../pivot/logprobs";
import type { ToolNames } from "../tools/tool-names";
import { citationsOf, logprobsOf } from "./answer-in";
import { type CallFragment, readCalls } from "./called";
import { ChoiceEnding } from "./ending";
import { ReasoningDetails } from "./reasoning-details";
import { StreamedCall } from "./streamed-call";

type ProseKind = "thinking" | "text" | "refusal";
type Prose = { kind: ProseKind; text: string; logprobs: TokenLogprob[] };

/**
 * Turns chat chunks (normalised, first choice only) into events. The chat dialect lets text, thinking and calls
 * overlap; events have one block after the other. While a call's arguments are still arriving, parts of other blocks
 * wait for their end. Keeps nothing that it has passed on.
 */
export class ChatEvents implements AnswerEvents<JsonObject> {
  private readonly names: ToolNames;
  private readonly ending = new ChoiceEnding();
  private readonly calls = new Map<number, StreamedCall>();
  /** The events of the current chunk. */
  private events: AnswerEvent[] = [];
  private isStarted = false;
  private open: ProseKind | StreamedCall | null = null;
  private next = 0;
  private readonly waitingCalls = new Set<StreamedCall>();
  /** Cited pages that came before the text that they belong to. */
  private waitingCitations: Citation[] = [];
  /** Characters of all texts so far, and of those before the last text: positions count through all of them. */
  private characters = 0;
  private before = 0;
  private waitingProse: Prose[] = [];

  private readonly details = new ReasoningDetails();
  private readonly wantsDetails: boolean;

  /** `names`: the upstream names of the request's tools. `reasoningDetails`: the upstream wants them back. */
  constructor(names: ToolNames, { reasoningDetails }: Pick<Capabilities, "reasoningDetails">) {
    this.names = names;
    this.wantsDetails = reasoningDetails;
  }

  read(chunk: JsonObject): AnswerEvent[] {
    this.start(chunk.id);
    for (const choice of objects(chunk.choices)) {
      // Some vendors send several fragments of a choice in one chunk.
      if (choice.index === 0) {
        this.addChoice(choice);
      }
    }
    return this.take();
  }

  end(): AnswerEvent[] | null {
    this.start(null);
    this.settleNames();
    const isMalformed = [...this.calls.values()].some((call) => call.name === "" || !call.isUsable);
    if ((isMalformed && !this.ending.isCut) || !this.ending.isReadable) {
      return null;
    }
    do {
      this.close();
      this.flush();
    } while (this.waitingCalls.size > 0);
    this.close();
    this.placeDetails();
    this.close();
    this.events.push({ type: "stop", ...this.ending.stop });
    return this.take();
  }

  private take(): AnswerEvent[] {
    const events = this.events;
    this.events = [];
    return events;
  }

  private start(id: unknown): void {
    if (!this.isStarted) {
      this.isStarted = true;
      this.events.push({ type: "start", id: textOf(id) });
    }
  }

  private addChoice(choice: JsonObject): void {
    const delta = isJsonObject(choice.delta) ? choice.delta : {};
    this.ending.note(choice, delta);
    this.addProse("thinking", delta.reasoning_content);
    this.details.add(this.wantsDetails ? delta.reasoning_details : null);
    this.placeDetails();
    // Probabilities of thinking or of calls belong to no text.
    const isText = !delta.reasoning_content && !delta.tool_calls;
    this.addProse("text", delta.content, isText ? atOnce(logprobsOf(choice)) : []);
    this.waitingCitations.push(...atOnce(citationsOf(delta.annotations)));
    this.cite();
    this.addProse("refusal", delta.refusal);
    for (const called of readCalls(delta)) {
      this.addCall(called);
    }
  }

  /** A nameless call belongs to the only tool there is. With several tools, a blank or cut one is dropped. */
  private settleNames(): void {
    const { soleName, toUpstream } = this.names;
    for (const call of this.waitingCalls) {
      if (call.name === "" && soleName !== null) {
        call.name = toUpstream(soleName);
      } else if (call.name === "" && (call.isBlank || this.ending.isCut)) {
        this.waitingCalls.delete(call);
        this.calls.delete(call.index);
      }
    }
  }

  private addProse(kind: ProseKind, text: unknown, logprobs: TokenLogprob[] = []): void {
    if (typeof text !== "string" || (text === "" && logprobs.length === 0)) {
      return;
    }
    if (this.open instanceof StreamedCall && !this.open.isComplete) {
      this.waitingProse.push({ kind, text, logprobs });
    } else {
      this.say({ kind, text, logprobs });
    }
  }

  /** Details belong to a block of thinking, even an empty one. Details that come during a call wait for its end. */
  private placeDetails(): void {
    const isInCall = this.open instanceof StreamedCall && !this.open.isComplete;
    if (!this.details.isEmpty && this.open !== "thinking" && !isInCall) {
      this.begin({ type: "thinking" }, "thinking");
    }
  }

  private say({ kind, text, logprobs }: Prose): void {
    if (this.open !== kind) {
      this.begin({ type: kind } as BlockHead, kind);
      this.before = this.characters;
    }
    this.grow(text, logprobs);
    if (kind === "text") {
      this.characters += lengthOf(text);
      this.cite();
    }
  }

  private cite(): void {
    if (this.open === "text") {
      for (const citation of this.waitingCitations.splice(0)) {
        this.events.push({ type: "cite", index: this.next - 1, citation: moved(citation, -this.before) });
      }
    }
  }

  private addCall(called: CallFragment): void {
    let call = this.calls.get(called.index);
    if (!call) {
      call = new StreamedCall(called.index);
      this.calls.set(called.index, call);
      this.waitingCalls.add(call);
    }
    call.add(called);
    const { open } = this;
    if (!(open instanceof StreamedCall)) {
      this.flush();
      return;
    }
    if (call === open) {
      this.grow(call.take());
    }
    if (open.isComplete && (this.waitingCalls.size > 0 || this.waitingProse.length > 0)) {
      this.close();
      this.flush();
    }
  }

  /** Passes on everything that waited, up to a call that is not complete: its block stays open. */
  private flush(): void {
    for (const prose of this.waitingProse.splice(0)) {
      this.say(prose);
    }
    for (const call of this.waitingCalls) {
      if (call.name !== "") {
        this.waitingCalls.delete(call);
        this.begin({ type: "call", id: call.id, name: this.names.toClient(call.name) }, call);
        this.grow(call.take());
        if (!call.isComplete) {
          break;
        }
      }
    }
  }

  private begin(block: BlockHead, open: ProseKind | StreamedCall): void {
    this.close();
    this.open = open;
    this.events.push({ type: "open", index: this.next++, block });
  }

  private grow(text: string, logprobs: TokenLogprob[] = []): void {
    if (text !== "" || logprobs.length > 0) {
      this.events.push({
        ...{ type: "grow", index: this.next - 1, text },
        ...(logprobs.length > 0 && { logprobs }),
      });
    }
  }

  private close(): void {
    if (this.open !== null) {
      const seal = this.open === "thinking" ? this.details.take() : null;
      if (seal) {
        this.events.push({ type: "seal", index: this.next - 1, seal });
      }
      this.open = null;
      this.events.push({ type: "close", index: this.next - 1 });
    }
  }
}
