import { eventFrame } from "../answers/sse";
import { type JsonObject, objects } from "../fields";
import { eventParts } from "../json/print";
import {
  type AnswerContext,
  type CountedUsage,
  costMember,
  type StreamError,
  type StreamWriter,
} from "../upstream-plan";
import { writeChatUsage } from "../usage/chat-usage";

/** The dialect's keep-alive: a comment, which its SDKs ignore. */
export const KEEP_ALIVE = ": keep-alive\n\n";

/**
 * Passes chat chunks to a client of the same dialect unchanged, except for usage: it goes into one last chunk, and only
 * if the client asked for it.
 */
export class ChatWriter implements StreamWriter<JsonObject> {
  readonly keepAlive = () => KEEP_ALIVE;
  readonly isVerbatim = true;
  private readonly wantsUsage: boolean;
  private readonly price: AnswerContext["price"];
  private head: JsonObject = {};
  private sentUsage: unknown;
  private usageChunk: JsonObject | null = null;

  constructor({ wantsUsage, price }: { wantsUsage: boolean; price?: AnswerContext["price"] }) {
    this.wantsUsage = wantsUsage;
    this.price = price;
  }

  write(chunk: JsonObject): string {
    return this.keeps(chunk) ? eventFrame(JSON.stringify(chunk)) : "";
  }

  *writeParts(chunk: JsonObject): Generator<string> {
    if (this.keeps(chunk)) {
      yield* eventParts(chunk);
    }
  }

  /** Brings a chunk into the client's form. false: it waits for the end of the stream. */
  private keeps(chunk: JsonObject): boolean {
    const { id, object, created, model, usage } = chunk;
    this.head = { id, object, created, model };
    this.sentUsage = usage ?? this.sentUsage;
    if (usage !== undefined && objects(chunk.choices).length === 0) {
      this.usageChunk = chunk;
      return false;
    }
    if (this.wantsUsage) {
      chunk.usage = null;
    } else {
      delete chunk.usage;
    }
    return true;
  }

  end({ usage }: CountedUsage): string {
    const done = eventFrame("[DONE]");
    if (!this.wantsUsage) {
      return done;
    }
    const chunk = this.usageChunk ?? { ...this.head, choices: [] };
    const counts = { ...writeChatUsage(usage, this.sentUsage), ...costMember({ price: this.price }, usage) };
    return eventFrame(JSON.stringify({ ...chunk, usage: counts })) + done;
  }

  fail = chatErrorFrame;
}

/** The last frame of a chat stream that broke off: the envelope, and `error` for SDKs, which read only that. */
export function chatErrorFrame({ sentence, ...envelope }: StreamError): string {
  const { code, message } = envelope;
  const type = code === 502 ? "upstream_error" : "server_error";
  const error = { message: sentence ?? message, type, code, param: null };
  return eventFrame(JSON.stringify({ error, ...envelope }));
}
