import { callsFinish, type Fields, isFields, normaliseMessage, objects, readFinish } from "./chat-normalise";
import { countMessage } from "./chat-response";
import { eventFrame } from "./sse";
import { type BegunCall, placeToolCall } from "./tool-calls";
import { readUpstreamError, type UpstreamWords } from "./upstream-error";
import { estimatedUsage, readChatUsage, type Usage, writeChatUsage } from "./usage";

type StreamCall = { model: string; inputTokens: number; wantsUsage: boolean; fallbackId: string; now: Date };

/** What an event was: something for the client (maybe nothing: ""), the end, an error, or no event of this dialect. */
export type StreamStep =
  | { kind: "frames"; text: string }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/** A choice so far: whether it has named its end, and what follows from its calls if it never does. */
type ChoiceState = { finished: boolean; implied: string; calls: BegunCall[] };

/** Usage that stands in a vendor's corner: Groq sends no other to who did not ask for it. */
const cornerUsage = (chunk: Fields): unknown => (isFields(chunk.x_groq) ? chunk.x_groq.usage : undefined);

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
  private readonly choices = new Map<number, ChoiceState>();
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
    // The same in every chunk, though some vendors change their mind (Groq's compound models: an id a chunk).
    chunk.id = this.head.id ?? (chunk.id || this.call.fallbackId);
    chunk.created = this.head.created ?? (chunk.created || Math.floor(this.call.now.getTime() / 1000));
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
      state = { finished: false, implied: "stop", calls: [] };
      this.choices.set(index, state);
      delta.role = "assistant";
    } else if (delta.role === "") {
      delete delta.role;
    }
    normaliseMessage(delta);
    for (const call of objects(delta.tool_calls)) {
      call.index = placeToolCall(state.calls, call);
    }
    state.implied = callsFinish(delta) ?? state.implied;
    choice.finish_reason = readFinish(choice);
    state.finished ||= choice.finish_reason !== null;
    const counted = countMessage(delta);
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  private readUsage(chunk: Fields, choices: Fields[]): void {
    const nested = choices.find((choice) => choice.usage);
    const sent = chunk.usage ?? nested?.usage ?? cornerUsage(chunk);
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
        const choice = { index, delta: {}, finish_reason: state.implied };
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
