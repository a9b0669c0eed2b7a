import { type Fields, finishReason, isFields, normaliseMessage, objects } from "./chat-normalise";
import { countMessage } from "./chat-response";
import { eventFrame } from "./sse";
import { readUpstreamError, type UpstreamWords } from "./upstream-error";
import { estimatedUsage, readChatUsage, type Usage, writeChatUsage } from "./usage";

type StreamCall = { model: string; inputTokens: number; wantsUsage: boolean; fallbackId: string; now: Date };

/** What an event was: something for the client (maybe nothing: ""), the end, an error, or no event of this dialect. */
export type StreamStep =
  | { kind: "frames"; text: string }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/**
 * One stream of chat chunks on its way to a client of the same dialect. Feeds on the `data` of each event and answers
 * with what to send on: chunks as they were but for `model`, vendors' spellings, and usage, which goes into one last
 * chunk, and only when it was asked for. Keeps counts, never text.
 */
export class ChatStream {
  private readonly call: StreamCall;
  private head: Fields = {};
  private lastUsage: { sent: unknown; usage: Usage; isFinal: boolean } | null = null;
  private usageChunk: Fields | null = null;
  private readonly choices = new Map<number, { finished: boolean; calls: Map<string, number> }>();
  private output = 0;
  private reasoning = 0;

  constructor(call: StreamCall) {
    this.call = call;
  }

  /** Something of the answer has come through. */
  get isStarted(): boolean {
    return this.head.id !== undefined;
  }

  /** Every choice that began has named its end. */
  get isFinished(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every((choice) => choice.finished);
  }

  push(data: string): StreamStep {
    if (data === "[DONE]") {
      return { kind: "done" };
    }
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch {
      return { kind: "malformed" };
    }
    const words = readUpstreamError(chunk);
    if (words) {
      return { kind: "error", words };
    }
    if (
      !isFields(chunk) ||
      (chunk.choices !== undefined && chunk.choices !== null && !Array.isArray(chunk.choices))
    ) {
      return { kind: "malformed" };
    }
    return { kind: "frames", text: this.forward(chunk) };
  }

  private forward(chunk: Fields): string {
    chunk.model = this.call.model;
    chunk.object = "chat.completion.chunk";
    chunk.id ||= this.head.id ?? this.call.fallbackId;
    chunk.created ||= this.head.created ?? Math.floor(this.call.now.getTime() / 1000);
    this.head = {
      id: chunk.id,
      object: chunk.object,
      created: chunk.created,
      model: chunk.model,
    };
    const choices = objects(chunk.choices);
    chunk.choices = choices;
    for (const choice of choices) {
      this.readChoice(choice);
    }
    this.readUsage(chunk, choices);
    if (this.usageChunk === chunk) {
      return "";
    }
    return eventFrame(JSON.stringify(chunk));
  }

  private readChoice(choice: Fields): void {
    const index = typeof choice.index === "number" ? choice.index : 0;
    choice.index = index;
    const delta = isFields(choice.delta) ? choice.delta : {};
    choice.delta = delta;
    let state = this.choices.get(index);
    if (!state) {
      state = { finished: false, calls: new Map() };
      this.choices.set(index, state);
      delta.role = "assistant";
    } else if (delta.role === "") {
      delete delta.role;
    }
    normaliseMessage(delta);
    for (const [position, call] of objects(delta.tool_calls).entries()) {
      // Some vendors leave the index out, and send each call whole.
      if (typeof call.index !== "number") {
        const key = typeof call.id === "string" && call.id !== "" ? call.id : `#${position}`;
        state.calls.set(key, state.calls.get(key) ?? state.calls.size);
        call.index = state.calls.get(key);
      }
    }
    choice.finish_reason = finishReason(choice.finish_reason);
    state.finished ||= choice.finish_reason !== null;
    const counted = countMessage(delta);
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  private readUsage(chunk: Fields, choices: Fields[]): void {
    const nested = choices.find((choice) => choice.usage);
    const sent = chunk.usage ?? nested?.usage;
    const usage = readChatUsage(sent);
    if (nested) {
      delete nested.usage;
    }
    if (usage) {
      this.lastUsage = { sent, usage, isFinal: this.isFinished || choices.length === 0 };
      if (choices.length === 0) {
        this.usageChunk = chunk;
      }
    }
    if (this.call.wantsUsage) {
      chunk.usage = null;
    } else {
      delete chunk.usage;
    }
  }

  /** What is left to say to a client whose stream ends well: a missing finish reason, usage if asked for, the end. */
  ending(): string {
    let text = "";
    for (const [index, state] of this.choices) {
      if (!state.finished) {
        const choice = { index, delta: {}, finish_reason: "stop" };
        text += eventFrame(
          JSON.stringify({ ...this.head, choices: [choice], ...(this.call.wantsUsage && { usage: null }) }),
        );
      }
    }
    if (this.call.wantsUsage) {
      const usage = writeChatUsage(this.settled(true).usage, this.lastUsage?.sent);
      text += eventFrame(JSON.stringify({ ...(this.usageChunk ?? { ...this.head, choices: [] }), usage }));
    }
    return `${text}${eventFrame("[DONE]")}`;
  }

  /**
   * The counts to charge. Of a stream that ended well, the upstream's; of one that broke off, whatever the upstream
   * had said so far, but no less than what came through it.
   */
  settled(isComplete: boolean): { usage: Usage; source: "upstream" | "partial" | "estimated" } {
    const last = this.lastUsage;
    if (last && (isComplete || last.isFinal)) {
      return { usage: last.usage, source: "upstream" };
    }
    const output = Math.ceil(this.output);
    const reasoning = Math.ceil(this.reasoning);
    if (last) {
      const outputTokens = Math.max(last.usage.outputTokens, output + reasoning);
      return { usage: { ...last.usage, outputTokens, reasoningTokens: reasoning }, source: "partial" };
    }
    return {
      usage: estimatedUsage({ input: this.call.inputTokens, output, reasoning }),
      source: "estimated",
    };
  }
}

/** The last frame of a chat stream that broke off: the envelope, and `error` for SDKs, which look for that only. */
export function chatErrorFrame(error: { code: number; message: string; data: null }): string {
  const type = error.code === 502 ? "upstream_error" : "server_error";
  return eventFrame(
    JSON.stringify({ error: { message: error.message, type, code: error.code, param: null }, ...error }),
  );
}
