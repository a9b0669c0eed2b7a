import { type Eventual, whenHere } from "@/server/base/eventual";
import { printedReply, type Reply } from "@/server/base/reply";
import { atOnceIfQuick, inTurns } from "@/server/base/turns";
import { type Attempt, textOf, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { type PrintedJson, printInSteps } from "@/server/protocol/json-print";
import { MAX_AT_ONCE_CHARACTERS, parseInTurns } from "@/server/protocol/json-turns";
import { parseLongAnswer } from "@/server/protocol/long-answer";
import { eventsIn, isEventStream } from "@/server/protocol/sse";
import { readUpstreamError } from "@/server/protocol/upstream-error";
import type { AnswerContext, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { parseLongWithoutPrice, parseWithoutPrice } from "@/server/protocol/vendor-price";
import { faultOf, unreadable } from "../stream/stream-frames";
import { answerContext } from "./answer-context";
import type { ConversationCall } from "./call";
import { costHeader } from "./charge";
import { dispatchAndCharge } from "./dispatch-call";
import type { GatewayDeps } from "./gateway-deps";
import { noteLosses } from "./losses";
import { routingOf } from "./plans";

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type ParseLong = (text: string) => Generator<void, unknown>;

const parse = (text: string, parseLong: ParseLong): Eventual<unknown> =>
  text.length <= MAX_AT_ONCE_CHARACTERS
    ? parseWithoutPrice(text)
    : inTurns(parseLongWithoutPrice(text, parseLong));

const notJson = (cause: unknown) => new UpstreamFault("malformed", "the answer is not JSON", { cause });

function statedError(value: unknown): ReturnType<typeof readUpstreamError> {
  try {
    return readUpstreamError(value);
  } catch (error) {
    throw unreadable(error);
  }
}

function withoutError(value: unknown): unknown {
  const words = statedError(value);
  if (words) {
    throw faultOf(words);
  }
  return value;
}

/**
 * Parses a 2xx answer's JSON. Throws UpstreamFault if it is not JSON, and the UpstreamFault or GatewayError of an error
 * in it.
 */
export function parseAnswer(text: string, parseLong: ParseLong = parseInTurns): Eventual<unknown> {
  let value: Eventual<unknown>;
  try {
    value = parse(text, parseLong);
  } catch (error) {
    throw notJson(error);
  }
  return value instanceof Promise
    ? value.then(withoutError, (error: unknown) => {
        throw notJson(error);
      })
    : withoutError(value);
}

/** Reads a 2xx answer as JSON. Throws as `parseAnswer` does. */
export const readAnswerJson = (reply: UpstreamReply): Eventual<unknown> =>
  whenHere(textOf(reply.body, MAX_ANSWER_BYTES), (text: string) => parseAnswer(text));

const readWhole = (plan: UpstreamPlan, text: string, context: AnswerContext) =>
  whenHere(parseAnswer(text, parseLongAnswer), (answer) => {
    try {
      const read = atOnceIfQuick(plan.readAnswer(answer, context));
      return read instanceof Promise ? read.catch(unreadable) : read;
    } catch (error) {
      return unreadable(error);
    }
  });

/** Reads a stream that came although a whole answer was requested. */
async function readStream(plan: UpstreamPlan, text: string, context: AnswerContext) {
  const answer = await inTurns(plan.otherForm().collect(eventsIn(text), context)).catch(unreadable);
  if (typeof answer === "object" && "words" in answer) {
    throw faultOf(answer.words);
  }
  return answer;
}

/** The answer with its printed body. Throws UpstreamFault for one that the client cannot use. */
function printed<A extends { body: Parameters<typeof printInSteps>[0] }>(
  answer: A | UpstreamFault | "malformed" | "unusable",
): Eventual<A & { printed: PrintedJson }> {
  if (answer instanceof UpstreamFault) {
    throw answer;
  }
  if (answer === "malformed") {
    throw new UpstreamFault("malformed", "the answer is not one of this dialect");
  }
  const unusable = () => new UpstreamFault("unusable", "the answer cannot be translated");
  if (answer === "unusable") {
    throw unusable();
  }
  return whenHere(atOnceIfQuick(printInSteps(answer.body)), (json: PrintedJson | null) => {
    if (json === null) {
      throw unusable();
    }
    return { ...answer, printed: json };
  });
}

function accept(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { reply, plan, attempt }: { reply: UpstreamReply; plan: UpstreamPlan; attempt: Attempt },
) {
  noteLosses(relayed.call, plan);
  return whenHere(textOf(reply.body, MAX_ANSWER_BYTES), (text: string) => {
    const context = answerContext(deps, relayed, attempt);
    const read = isEventStream(text) ? readStream(plan, text, context) : readWhole(plan, text, context);
    return read instanceof Promise ? read.then(printed) : printed(read);
  });
}

/** The request for a whole answer. */
export const askedWhole = (deps: GatewayDeps, relayed: ConversationCall) => ({
  ...routingOf(relayed),
  accept: (reply: UpstreamReply, plan: UpstreamPlan, attempt: Attempt) =>
    accept(deps, relayed, { reply, plan, attempt }),
});

/** The reply to a call that is charged. */
export const wholeReply = ({ call, conversation }: ConversationCall, printed: PrintedJson): Reply =>
  printedReply(costHeader(call, conversation.wantsCost), printed);

/** The JSON answer. The charge is on disk before the client gets it. */
export async function relayAnswer(deps: GatewayDeps, relayed: ConversationCall): Promise<Reply> {
  const { printed } = await dispatchAndCharge(deps, relayed, askedWhole(deps, relayed));
  const stored = relayed.thinking?.store();
  if (stored instanceof Promise) {
    await stored;
  }
  return wholeReply(relayed, printed);
}
