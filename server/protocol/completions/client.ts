import { eventFrame } from "../answers/sse";
import { chatErrorFrame, KEEP_ALIVE } from "../chat/writer";
import { type JsonObject, textOf } from "../fields";
import type { AnswerEvent, Stop } from "../pivot/answer";
import type { Conversation } from "../pivot/conversation";
import type { ClientCall } from "../pivot/dialect";
import { readScalars } from "../scalars";
import { type AnswerContext, type CountedUsage, costMember, type StreamWriter } from "../upstream-plan";
import { writeChatUsage } from "../usage/chat-usage";
import type { CompletionRequest } from "./request";

const conversationOf = ({ fields, isStream }: CompletionRequest, prompt: string): Conversation => ({
  isStream,
  system: [],
  turns: [{ role: "user", blocks: [{ type: "text", text: prompt }] }],
  isPrefill: false,
  tools: [],
  choice: null,
  allowed: null,
  isSerial: false,
  format: null,
  thinking: null,
  stops: [fields.stop ?? []].flat().map(textOf),
  stopsField: "stop",
  scalars: readScalars("completions", fields),
  cache: null,
});

const reasons: Record<Stop["reason"], string> = {
  end: "stop",
  stop_sequence: "stop",
  length: "length",
  refusal: "content_filter",
};

/** One object of an answer: the whole answer, or a chunk. */
const objectOf = ({ fallbackId, now, model }: AnswerContext, rest: JsonObject): JsonObject => ({
  id: `cmpl-${fallbackId}`,
  object: "text_completion",
  created: Math.floor(now.getTime() / 1000),
  model,
  ...rest,
});

const choice = (text: string, finish: string | null) => ({
  text,
  index: 0,
  logprobs: null,
  finish_reason: finish,
});

/** Streams the text of an answer. Thinking is no part of a completion. */
class CompletionOut implements StreamWriter<AnswerEvent> {
  readonly keepAlive = () => KEEP_ALIVE;
  readonly fail = chatErrorFrame;
  private readonly context: AnswerContext;
  private readonly wantsUsage: boolean;
  private readonly texts = new Set<number>();
  private stop: Stop = { reason: "end", sequence: null };

  constructor(context: AnswerContext, wantsUsage: boolean) {
    this.context = context;
    this.wantsUsage = wantsUsage;
  }

  write(event: AnswerEvent): string {
    switch (event.type) {
      case "open":
        if (event.block.type === "text" || event.block.type === "refusal") {
          this.texts.add(event.index);
        }
        return "";
      case "grow":
        return this.texts.has(event.index) ? this.frame({ choices: [choice(event.text, null)] }) : "";
      case "stop":
        this.stop = event;
        return "";
      default:
        return "";
    }
  }

  end({ usage }: CountedUsage): string {
    const last = this.frame({ choices: [choice("", reasons[this.stop.reason])] });
    const counts = { ...writeChatUsage(usage), ...costMember(this.context, usage) };
    const usageFrame = this.wantsUsage ? this.frame({ choices: [], usage: counts }) : "";
    return last + usageFrame + eventFrame("[DONE]");
  }

  private readonly frame = (rest: JsonObject) => eventFrame(JSON.stringify(objectOf(this.context, rest)));
}

function* inOneStep<T>(make: () => T): Generator<void, T> {
  yield;
  return make();
}

/** A completion for upstreams of any dialect. */
export const completionClient = (request: CompletionRequest, prompt: string): ClientCall => ({
  ...{ dialect: "completions", fields: request.fields },
  conversation: () => inOneStep(() => conversationOf(request, prompt)),
  writeAnswer: ({ blocks, stop }, { usage }, context) =>
    inOneStep(() => {
      const text = blocks
        .map((block) => (block.type === "text" || block.type === "refusal" ? block.text : ""))
        .join("");
      return objectOf(context, {
        choices: [choice(text, reasons[stop.reason])],
        usage: { ...writeChatUsage(usage), ...costMember(context, usage) },
      });
    }),
  openWriter: (context) => new CompletionOut(context, request.wantsUsage),
});
