import { chatErrorFrame } from "../chat/writer";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { eventFrame } from "../sse";
import type { Counted, StreamWriter } from "../upstream-plan";
import { writeChatUsage } from "../usage";
import { answerHead, callHead, finishReason, inputText, isAnswer, type TranslatedCall } from "./answer";
import { signedThinking } from "./signed-thinking";

/** A tool's block that is open. `position`: among the client's calls; null: its input is the answer's text. */
type OpenCall = { kind: "call"; position: number | null; block: JsonObject; hasFragments: boolean };

/** Thinking that is open. Its text is kept until the end: a client needs it together with its signature. */
type OpenThinking = { kind: "thinking"; block: JsonObject; texts: string[]; signature: string };

/** Events of the messages dialect to a client of the chat dialect, as chunks. */
export class MessagesAsChatWriter implements StreamWriter<JsonObject> {
  readonly keepAlive = ": keep-alive\n\n";
  readonly fail = chatErrorFrame;
  private readonly call: TranslatedCall;
  private readonly wantsUsage: boolean;
  private head: JsonObject;
  private isStarted = false;
  private readonly open = new Map<unknown, OpenCall | OpenThinking>();
  private callCount = 0;
  private readonly signed: JsonObject[] = [];
  private stopReason: unknown = null;
  /** The tool that stands for the answer has been called: its input is the whole text. */
  private hasAnswer = false;
  /** What the model says where such a tool may still come: the text only if it does not. */
  private readonly prose: string[] = [];

  constructor({ wantsUsage, ...call }: TranslatedCall & { wantsUsage: boolean }) {
    this.call = call;
    this.wantsUsage = wantsUsage;
    this.head = answerHead(null, call);
  }

  write(event: JsonObject): string {
    switch (event.type) {
      case "message_start":
        this.head = answerHead(isJsonObject(event.message) ? event.message.id : null, this.call);
        return this.isStarted ? "" : this.chunk({ content: "" });
      case "content_block_start":
        return isJsonObject(event.content_block) ? this.begin(event.index, event.content_block) : "";
      case "content_block_delta":
        return isJsonObject(event.delta) ? this.continue(event.index, event.delta) : "";
      case "content_block_stop":
        return this.finish(event.index);
      case "message_delta":
        this.stopReason = (isJsonObject(event.delta) && event.delta.stop_reason) || this.stopReason;
        return "";
      case "ping":
        return ": ping\n\n";
      default:
        return "";
    }
  }

  end({ usage }: Counted): string {
    const finished = [...this.open.keys()].map((index) => this.finish(index)).join("");
    const prose = this.hasAnswer ? "" : this.say("content", this.prose.join(""));
    const open = finished + prose + this.showSigned();
    const last = this.chunk({}, finishReason(this.stopReason, this.callCount, this.call));
    const counts = this.wantsUsage ? this.frame({ choices: [], usage: writeChatUsage(usage) }) : "";
    return open + last + counts + eventFrame("[DONE]");
  }

  private begin(index: unknown, block: JsonObject): string {
    if (block.type === "tool_use") {
      return this.beginCall(index, block);
    }
    if (block.type === "text") {
      return this.speak(block.text);
    }
    if (block.type !== "thinking" && block.type !== "redacted_thinking") {
      return "";
    }
    const texts = [textOf(block.thinking)];
    this.open.set(index, { kind: "thinking", block, texts, signature: textOf(block.signature) });
    return this.say("reasoning_content", block.thinking);
  }

  private beginCall(index: unknown, block: JsonObject): string {
    if (isAnswer(block, this.call.request)) {
      // A second one would make two texts of JSON in a row.
      if (!this.hasAnswer) {
        this.open.set(index, { kind: "call", position: null, block, hasFragments: false });
      }
      this.hasAnswer = true;
      return "";
    }
    // Not the block's index: text and thinking have one too (new-api#5229).
    const position = this.callCount++;
    this.open.set(index, { kind: "call", position, block, hasFragments: false });
    const { id, name } = callHead(block, position, this.call);
    return this.callDelta(position, { name, arguments: "" }, { id, type: "function" });
  }

  /** Before tools, an answer had one call at most: of more, a client of that time sees the first. */
  private callDelta(position: number, target: JsonObject, identity: JsonObject = {}): string {
    if (!this.call.request.usesLegacyFunctions) {
      return this.chunk({ tool_calls: [{ index: position, ...identity, function: target }] });
    }
    return position === 0 ? this.chunk({ function_call: target }) : "";
  }

  private continue(index: unknown, delta: JsonObject): string {
    const open = this.open.get(index);
    if (delta.type === "text_delta") {
      return this.speak(delta.text);
    }
    if (delta.type === "thinking_delta") {
      if (open?.kind === "thinking") {
        open.texts.push(textOf(delta.thinking));
      }
      return this.say("reasoning_content", delta.thinking);
    }
    if (delta.type === "signature_delta" && open?.kind === "thinking") {
      open.signature += textOf(delta.signature);
    }
    return delta.type === "input_json_delta" && open?.kind === "call"
      ? this.argue(open, textOf(delta.partial_json))
      : "";
  }

  private argue(open: OpenCall, text: string): string {
    if (text === "") {
      return "";
    }
    open.hasFragments = true;
    return open.position === null
      ? this.say("content", text)
      : this.callDelta(open.position, { arguments: text });
  }

  private finish(index: unknown): string {
    const open = this.open.get(index);
    this.open.delete(index);
    if (open?.kind === "call") {
      return open.hasFragments ? "" : this.argue(open, inputText(open.block));
    }
    if (open) {
      const signed = signedThinking({
        ...open.block,
        thinking: open.texts.join(""),
        signature: open.signature,
      });
      if (signed) {
        this.signed.push(signed);
      }
    }
    return "";
  }

  /**
   * All in one chunk: of a member that it does not know, openai-node keeps the last chunk's alone. `index`:
   * openai-python puts lists of a stream together by it, and throws without.
   */
  private showSigned(): string {
    const blocks = this.signed.map((block, index) => ({ index, ...block }));
    return blocks.length > 0 ? this.chunk({ thinking_blocks: blocks }) : "";
  }

  private speak(text: unknown): string {
    if (this.call.request.schemaTool === null) {
      return this.say("content", text);
    }
    this.prose.push(textOf(text));
    return "";
  }

  private say(field: "content" | "reasoning_content", text: unknown): string {
    return typeof text === "string" && text !== "" ? this.chunk({ [field]: text }) : "";
  }

  private chunk(delta: JsonObject, finish: string | null = null): string {
    const said = this.isStarted ? delta : { role: "assistant", ...delta };
    this.isStarted = true;
    return this.frame({
      choices: [{ index: 0, delta: said, logprobs: null, finish_reason: finish }],
      ...(this.wantsUsage && { usage: null }),
    });
  }

  private frame(rest: JsonObject): string {
    const { id, created, model } = this.head;
    return eventFrame(JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...rest }));
  }
}
