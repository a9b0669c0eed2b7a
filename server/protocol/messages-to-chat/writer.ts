import { envelope, GatewayError } from "@/server/base/errors";
import { isJsonObject, type JsonObject, objects } from "../fields";
import { writeMessagesUsage } from "../messages/usage";
import { messagesErrorFrame, messagesEvent, PING_FRAME } from "../messages/writer";
import type { Counted, StreamWriter } from "../upstream-plan";
import { estimatedUsage } from "../usage";
import { type AnswerCall, messageHead, toolUseHead } from "./answer-head";
import { BlockEvents, type ProseKind } from "./blocks";
import { type Called, readCalls } from "./called";
import { Ending } from "./ending";
import { StreamedCall } from "./streamed-call";

/**
 * Chat chunks (normalised, first choice only) to a client of the messages dialect. The chat dialect lets text,
 * thinking and calls run side by side; here one block follows the other, so what comes for another block while a
 * call's arguments are still on their way waits for their end. Nothing that was handed on is kept.
 */
export class ChatAsMessagesWriter implements StreamWriter<JsonObject> {
  readonly keepAlive = PING_FRAME;
  private readonly call: AnswerCall;
  private readonly blocks = new BlockEvents();
  private readonly ending = new Ending();
  private readonly calls = new Map<number, StreamedCall>();
  private isStarted = false;
  private hasToolUse = false;
  /** The call whose block is open. */
  private current: StreamedCall | null = null;
  private readonly waitingCalls = new Set<StreamedCall>();
  private waitingProse: { kind: ProseKind; text: string }[] = [];

  constructor(call: AnswerCall) {
    this.call = call;
  }

  write(chunk: JsonObject): string {
    const start = this.start(chunk.id);
    // Some vendors send several fragments of a choice in one chunk.
    const choices = objects(chunk.choices).filter((choice) => choice.index === 0);
    return start + choices.map((choice) => this.addChoice(choice)).join("");
  }

  private addChoice(choice: JsonObject): string {
    const delta = isJsonObject(choice.delta) ? choice.delta : {};
    this.ending.note(choice, delta);
    const prose =
      this.addProse("thinking", delta.reasoning_content) +
      this.addProse("text", delta.content) +
      this.addProse("text", delta.refusal);
    const calls = readCalls(delta).map((called) => this.addCall(called));
    return prose + calls.join("");
  }

  end({ usage }: Counted): string {
    const start = this.start(null);
    this.settleNames();
    const isMalformed = [...this.calls.values()].some((call) => call.name === "" || !call.isUsable);
    if (isMalformed && !this.ending.isCut) {
      // Charged as what was delivered: the text before it has reached the client, and the upstream wants its money.
      const malformed = new GatewayError("upstreamMalformed");
      return start + this.fail(envelope(malformed, { redact: String, language: "zh" }));
    }
    let rest = "";
    do {
      rest += this.closeCall() + this.flush();
    } while (this.waitingCalls.size > 0);
    const empty = this.blocks.count === 0 ? this.blocks.addEmptyText() : "";
    const delta = this.ending.toFields(this.hasToolUse);
    return (
      start +
      rest +
      empty +
      this.blocks.close() +
      messagesEvent({ type: "message_delta", delta, usage: writeMessagesUsage(usage) }) +
      messagesEvent({ type: "message_stop" })
    );
  }

  /** The open block stays open: closing it would tell the client that its tool call is whole. */
  fail = messagesErrorFrame;

  /** A call whose name never came is one of the only tool there is; one that says nothing at all is none. */
  private settleNames(): void {
    const { soleName, toUpstream } = this.call.names;
    for (const call of this.waitingCalls) {
      if (call.name === "" && soleName !== null) {
        call.name = toUpstream(soleName);
      } else if (call.name === "" && (call.isBlank || this.ending.isCut)) {
        this.waitingCalls.delete(call);
        this.calls.delete(call.index);
      }
    }
  }

  private start(id: unknown): string {
    if (this.isStarted) {
      return "";
    }
    this.isStarted = true;
    const { context } = this.call;
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

  private addProse(kind: ProseKind, text: unknown): string {
    if (typeof text !== "string" || text === "") {
      return "";
    }
    if (this.current && !this.current.isComplete) {
      this.waitingProse.push({ kind, text });
      return "";
    }
    return this.closeCall() + this.blocks.addProse(kind, text);
  }

  private addCall(called: Called): string {
    let call = this.calls.get(called.index);
    if (!call) {
      call = new StreamedCall(called.index);
      this.calls.set(called.index, call);
      this.waitingCalls.add(call);
    }
    call.add(called);
    if (!this.current) {
      return this.flush();
    }
    const sent = call === this.current ? this.blocks.addArguments(call.take()) : "";
    const isOverdue = this.waitingCalls.size > 0 || this.waitingProse.length > 0;
    return sent + (this.current.isComplete && isOverdue ? this.closeCall() + this.flush() : "");
  }

  /** Everything that waited, up to a call that is not complete: its block stays open. */
  private flush(): string {
    let text = this.waitingProse.map((prose) => this.blocks.addProse(prose.kind, prose.text)).join("");
    this.waitingProse = [];
    for (const call of this.waitingCalls) {
      if (call.name !== "") {
        text += this.closeCall() + this.openCall(call);
        if (!call.isComplete) {
          break;
        }
      }
    }
    return text;
  }

  private openCall(call: StreamedCall): string {
    this.waitingCalls.delete(call);
    this.current = call;
    this.hasToolUse = true;
    return this.blocks.beginTool(toolUseHead(call, this.call)) + this.blocks.addArguments(call.take());
  }

  private closeCall(): string {
    const closed = this.current ? this.blocks.close() : "";
    this.current = null;
    return closed;
  }
}
