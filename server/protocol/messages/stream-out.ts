import type { JsonObject } from "../fields";
import type { AnswerEvent, BlockHead, Stop } from "../pivot/answer";
import type { Seal } from "../pivot/conversation";
import { signatureOf, writeThinking } from "../signed-thinking";
import { type AnswerContext, type CountedUsage, costMember, type StreamWriter } from "../upstream-plan";
import { estimatedUsage } from "../usage/usage";
import { messageHead, toolUseHead, writeStop } from "./answer-out";
import { writeMessagesUsage } from "./usage";
import { messagesErrorFrame, messagesEvent, PING_FRAME } from "./writer";

/**
 * Writes events for a client of the messages dialect. Only one block is open at a time, and numbers start at 0 without
 * gaps: Claude Code loses tool input when blocks overlap (CLIProxyAPI#5581), anthropic-python fails on a gap.
 */
export class MessagesOut implements StreamWriter<AnswerEvent> {
  readonly keepAlive = () => PING_FRAME;
  /** The open block stays open: closing it would tell the client that its tool call is whole. */
  readonly fail = messagesErrorFrame;
  private readonly context: AnswerContext;
  private open: BlockHead["type"] | null = null;
  private seal: Seal | null = null;
  /** The text of open thinking: another vendor's seal carries it. */
  private thinking: string[] = [];
  /** Thinking without text waits behind earlier text until more follows: Claude Code shows only the last block. */
  private isHeld = false;
  private blocks = 0;
  private calls = 0;
  private stop: Stop = { reason: "end", sequence: null };

  constructor(context: AnswerContext) {
    this.context = context;
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "start":
        return this.start(event.id);
      case "open":
        return this.begin(event.block);
      case "grow":
        return this.grow(event.text);
      case "seal":
        this.seal = event.seal;
        return "";
      case "cite":
        // Anthropic's citations identify a result by data that only Anthropic can read, and clients require it.
        return "";
      case "close":
        return this.close();
      case "stop":
        this.stop = event;
        return "";
    }
  }

  end({ usage }: CountedUsage): string {
    // Clients read the first block without a check that there is one.
    const empty = this.blocks === 0 ? this.begin({ type: "text" }) + this.close() : "";
    const delta = writeStop(this.stop, this.calls > 0);
    const counts = { ...writeMessagesUsage(usage), ...costMember(this.context, usage) };
    return (
      empty +
      messagesEvent({ type: "message_delta", delta, usage: counts }) +
      messagesEvent({ type: "message_stop" })
    );
  }

  private start(id: string): string {
    const { context } = this;
    // Claude Code's context meter reads this estimate until the end brings the count (CLIProxyAPI#1700).
    const usage = writeMessagesUsage(estimatedUsage({ input: context.inputTokens, output: 0, reasoning: 0 }));
    const message = {
      ...messageHead(id, context),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return messagesEvent({ type: "message_start", message }) + PING_FRAME;
  }

  private begin(block: BlockHead): string {
    const before = this.isHeld ? this.begun({ type: "thinking" }) + this.endThinking() : "";
    this.isHeld = block.type === "thinking" && this.blocks > 0;
    this.open = block.type;
    this.seal = null;
    this.thinking = [];
    return before + (this.isHeld ? "" : this.begun(block));
  }

  private begun(block: BlockHead): string {
    this.isHeld = false;
    return messagesEvent({
      type: "content_block_start",
      index: this.blocks++,
      content_block: this.head(block),
    });
  }

  private head(block: BlockHead): JsonObject {
    switch (block.type) {
      case "thinking":
        return { type: "thinking", thinking: "", signature: "" };
      case "redacted":
        return writeThinking(block);
      case "call":
        return { ...toolUseHead(block, this.calls++, this.context), input: {} };
      default:
        return { type: "text", text: "" };
    }
  }

  private grow(text: string): string {
    if (text === "") {
      // A token that alone gives no text.
      return "";
    }
    switch (this.open) {
      case "thinking": {
        const begun = this.isHeld ? this.begun({ type: "thinking" }) : "";
        this.thinking.push(text);
        return begun + this.delta({ type: "thinking_delta", thinking: text });
      }
      case "call":
        return this.delta({ type: "input_json_delta", partial_json: text });
      default:
        return this.delta({ type: "text_delta", text });
    }
  }

  private close(): string {
    const { open } = this;
    this.open = null;
    if (this.isHeld) {
      return "";
    }
    return open === "thinking" ? this.endThinking() : this.endBlock();
  }

  private endThinking(): string {
    const { seal, thinking } = this;
    const signature = signatureOf({ type: "thinking", text: thinking.join(""), seal });
    return this.delta({ type: "signature_delta", signature }) + this.endBlock();
  }

  private endBlock(): string {
    return messagesEvent({ type: "content_block_stop", index: this.blocks - 1 });
  }

  private delta(delta: JsonObject): string {
    return messagesEvent({ type: "content_block_delta", index: this.blocks - 1, delta });
  }
}
