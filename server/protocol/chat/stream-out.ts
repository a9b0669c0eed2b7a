import { atOnce } from "@/server/base/turns";
import { eventFrame } from "../answers/sse";
import type { JsonObject } from "../fields";
import { ThinkingBefore } from "../kept-thinking";
import type { AnswerBlock, AnswerEvent, BlockHead, Stop } from "../pivot/answer";
import { lengthOf, moved } from "../pivot/citations";
import type { Seal } from "../pivot/conversation";
import { FreeText } from "../pivot/free-text";
import type { TokenLogprob } from "../pivot/logprobs";
import { type AnswerContext, type CountedUsage, costMember, type StreamWriter } from "../upstream-plan";
import { writeChatUsage } from "../usage/chat-usage";
import {
  type AnswerForm,
  annotationOf,
  answerHead,
  callId,
  finishReason,
  keeperOf,
  logprobsObject,
  signedCallId,
  writeSigned,
} from "./answer-out";
import { chatErrorFrame, KEEP_ALIVE } from "./writer";

/** Open thinking. Its text is kept until the end: a client needs it together with its seal. */
type OpenThinking = { type: "thinking"; texts: string[]; seal: Seal | null };
/** `before`: characters of the texts before this one. */
type OpenChatBlock =
  | { type: "text" | "refusal"; before: number }
  | { type: "call"; position: number }
  /** The input is inside the arguments. */
  | { type: "custom"; position: number; input: FreeText }
  | OpenThinking;

/** Writes events as chunks for a client of the chat dialect. */
export class ChatOut implements StreamWriter<AnswerEvent> {
  readonly keepAlive = () => KEEP_ALIVE;
  readonly fail = chatErrorFrame;
  private readonly context: AnswerContext;
  private readonly form: AnswerForm;
  private readonly wantsUsage: boolean;
  private head: { id: string; created: number; model: string };
  private isStarted = false;
  private readonly open = new Map<number, OpenChatBlock>();
  private callCount = 0;
  /** The thinking block that has just ended. */
  private before: AnswerBlock | undefined;
  /** The latest thinking that ended without a seal: some vendors send it later. */
  private unsealed: { index: number; text: string } | null = null;
  private readonly thinking: ThinkingBefore;
  private readonly signed: JsonObject[] = [];
  private readonly annotations: JsonObject[] = [];
  private characters = 0;
  private stop: Stop = { reason: "end", sequence: null };

  constructor({
    context,
    wantsUsage,
    ...form
  }: AnswerForm & { context: AnswerContext; wantsUsage: boolean }) {
    this.context = context;
    this.form = form;
    this.wantsUsage = wantsUsage;
    this.head = answerHead("", context);
    this.thinking = new ThinkingBefore(keeperOf(context, form));
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "start":
        this.head = answerHead(event.id, this.context);
        return this.isStarted ? "" : this.chunk({ content: "" });
      case "open":
        return this.begin(event.index, event.block);
      case "grow":
        return this.grow(this.open.get(event.index), event.text, event.logprobs);
      case "cite": {
        const open = this.open.get(event.index);
        if (open?.type === "text") {
          this.annotations.push(annotationOf(moved(event.citation, open.before)));
        }
        return "";
      }
      case "seal": {
        const open = this.open.get(event.index);
        if (open?.type === "thinking") {
          open.seal = event.seal;
        } else if (this.unsealed?.index === event.index) {
          this.keep({ type: "thinking", text: this.unsealed.text, seal: event.seal });
          this.unsealed = null;
        }
        return "";
      }
      case "close":
        return this.close(event.index);
      case "stop":
        this.stop = event;
        return "";
    }
  }

  end({ usage }: CountedUsage): string {
    const last = this.chunk({}, { finish: finishReason(this.stop, this.callCount, this.form) });
    const counts = { ...writeChatUsage(usage), ...costMember(this.context, usage) };
    const usageFrame = this.wantsUsage ? this.frame({ choices: [], usage: counts }) : "";
    return (
      this.showList("annotations", this.annotations) +
      this.showList("thinking_blocks", this.signed) +
      last +
      usageFrame +
      eventFrame("[DONE]")
    );
  }

  private begin(index: number, block: BlockHead): string {
    switch (block.type) {
      case "redacted":
        this.keep(block);
        return "";
      case "thinking":
        this.open.set(index, { type: "thinking", texts: [], seal: null });
        return "";
      case "call": {
        // Not the block's index: text and thinking have an index, too (new-api#5229).
        const position = this.callCount++;
        const ownId = signedCallId(callId(block.id, position, this.context), this.before);
        const id = this.thinking.idOf(ownId);
        this.before = undefined;
        if (this.form.customTools?.has(block.name)) {
          this.open.set(index, { type: "custom", position, input: new FreeText() });
          return this.customDelta(position, { name: block.name, input: "" }, { id, type: "custom" });
        }
        this.open.set(index, { type: "call", position });
        return this.callDelta(position, { name: block.name, arguments: "" }, { id, type: "function" });
      }
      default:
        this.open.set(index, { type: block.type, before: this.characters });
        return "";
    }
  }

  /** Before tools existed, an answer had at most one call: such a client sees only the first. */
  private callDelta(position: number, target: JsonObject, identity: JsonObject = {}): string {
    if (!this.form.usesLegacyFunctions) {
      return this.chunk({ tool_calls: [{ index: position, ...identity, function: target }] });
    }
    return position === 0 ? this.chunk({ function_call: target }) : "";
  }

  private grow(open: OpenChatBlock | undefined, text: string, logprobs: TokenLogprob[] = []): string {
    if (open === undefined) {
      return "";
    }
    switch (open.type) {
      case "call":
        return this.callDelta(open.position, { arguments: text });
      case "custom":
        return this.growInput(open.position, open.input.read(text));
      case "thinking":
        open.texts.push(text);
        return this.chunk({ reasoning_content: text });
      default:
        this.characters += open.type === "text" ? lengthOf(text) : 0;
        return this.chunk({ [open.type === "text" ? "content" : "refusal"]: text }, { logprobs });
    }
  }

  private customDelta(position: number, custom: JsonObject, identity: JsonObject = {}): string {
    return this.chunk({ tool_calls: [{ index: position, ...identity, custom }] });
  }

  private growInput(position: number, input: string): string {
    return input === "" ? "" : this.customDelta(position, { input });
  }

  private close(index: number): string {
    const open = this.open.get(index);
    this.open.delete(index);
    this.before = undefined;
    if (open?.type === "thinking") {
      const text = open.texts.join("");
      this.before = { type: "thinking", text, seal: open.seal };
      this.keep(this.before);
      this.unsealed = open.seal === null ? { index, text } : null;
    }
    return open?.type === "custom" ? this.growInput(open.position, open.input.rest()) : "";
  }

  private keep(block: AnswerBlock): void {
    this.thinking.add(block);
    const signed = writeSigned(block);
    if (signed) {
      this.signed.push(signed);
    }
  }

  /**
   * Puts the whole list in one chunk: of a member that it does not know, openai-node keeps only the last chunk's.
   * `index`: openai-python assembles lists of a stream by it, and throws without it.
   */
  private showList(member: string, list: JsonObject[]): string {
    const numbered = list.map((each, index) => ({ index, ...each }));
    return list.length > 0 ? this.chunk({ [member]: numbered }) : "";
  }

  private chunk(
    delta: JsonObject,
    { finish = null, logprobs = [] }: { finish?: string | null; logprobs?: TokenLogprob[] } = {},
  ): string {
    const fullDelta = this.isStarted ? delta : { role: "assistant", ...delta };
    this.isStarted = true;
    return this.frame({
      choices: [
        { index: 0, delta: fullDelta, logprobs: atOnce(logprobsObject(logprobs)), finish_reason: finish },
      ],
      ...(this.wantsUsage && { usage: null }),
    });
  }

  private frame(rest: JsonObject): string {
    const { id, created, model } = this.head;
    return eventFrame(JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...rest }));
  }
}
