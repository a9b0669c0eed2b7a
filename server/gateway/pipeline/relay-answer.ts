import { type Eventual, whenHere } from "@/server/base/eventual";
import { printedReply, type Reply } from "@/server/base/reply";
import { isWhole, type LongText } from "@/server/base/slices";
import { atOnceIfQuick, inTurns } from "@/server/base/turns";
import { type Attempt, textOf, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { openEnvelope } from "@/server/protocol/answers/envelope";
import { parseLongAnswer } from "@/server/protocol/answers/long-answer";
import { eventsIn, eventsOfList, isEventStream } from "@/server/protocol/answers/sse";
import { type PrintedJson, printInSteps } from "@/server/protocol/json/print";
import type { LongTexts } from "@/server/protocol/json/scanner";
import { MAX_AT_ONCE_CHARACTERS, parseInTurns } from "@/server/protocol/json/turns";
import { readUpstreamError, type UpstreamWords } from "@/server/protocol/upstream-error";
import type { OtherForm, ReadAnswer, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { parseLongWithoutPrice, parseWithoutPrice } from "@/server/protocol/usage/vendor-price";
import { faultOf, unreadable } from "../stream/stream-frames";
import { answerContext } from "./answer-context";
import type { ConversationCall } from "./call";
import { charge, costHeader } from "./charge";
import { dispatchCall } from "./dispatch-call";
import type { GatewayDeps } from "./gateway-deps";
import { noteLosses } from "./losses";
import { routingOf } from "./plans";

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type ParseLong = (text: LongText) => Generator<void, unknown>;

const parse = (text: LongText, parseLong: ParseLong): Eventual<unknown> =>
  isWhole(text) && text.length <= MAX_AT_ONCE_CHARACTERS
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

function withoutError(sent: unknown): unknown {
  const value = openEnvelope(sent);
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
export function parseAnswer(text: LongText, parseLong: ParseLong = parseInTurns): Eventual<unknown> {
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
  whenHere(textOf(reply.body, MAX_ANSWER_BYTES), (text: LongText) => parseAnswer(text));

/**
 * The client's body of an answer, as it is read and as it is printed. Yields, so that long work can pause. Throws
 * UpstreamFault for an answer that the client cannot use.
 */
function* clientAnswer(
  reading: ReturnType<UpstreamPlan["readAnswer"]> | ReturnType<OtherForm["collect"]>,
  longTexts: LongTexts,
): Generator<unknown, Exclude<ReadAnswer, string> & { printed: PrintedJson }> {
  let answer: ReadAnswer | { words: UpstreamWords };
  try {
    answer = yield* reading;
  } catch (error) {
    throw unreadable(error);
  }
  if (answer === "malformed") {
    throw new UpstreamFault("malformed", "the answer is not one of this dialect");
  }
  if (answer !== "unusable" && "words" in answer) {
    throw faultOf(answer.words);
  }
  const printed = answer === "unusable" ? null : yield* printInSteps(answer.body, longTexts);
  if (answer === "unusable" || printed === null) {
    throw new UpstreamFault("unusable", "the answer cannot be translated");
  }
  return { ...answer, printed };
}

function accept(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { reply, plan, attempt }: { reply: UpstreamReply; plan: UpstreamPlan; attempt: Attempt },
) {
  noteLosses(relayed.call, plan);
  return whenHere(textOf(reply.body, MAX_ANSWER_BYTES), (text: LongText) => {
    const context = answerContext(deps, relayed, attempt);
    const longTexts: LongTexts = new Map();
    // A stream may come although a whole answer was requested.
    return isEventStream(text)
      ? inTurns(clientAnswer(plan.otherForm().collect(eventsIn(text), context), longTexts))
      : whenHere(
          parseAnswer(text, (long) => parseLongAnswer(long, longTexts)),
          (answer) =>
            Array.isArray(answer)
              ? inTurns(clientAnswer(plan.otherForm().collect(eventsOfList(answer), context), longTexts))
              : atOnceIfQuick(clientAnswer(plan.readAnswer(answer, context), longTexts)),
        );
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
  const { route, accepted } = await dispatchCall(deps, relayed, askedWhole(deps, relayed));
  await charge(deps, relayed, { ...accepted, channelId: route.channelId });
  const stored = relayed.thinking?.store();
  if (stored instanceof Promise) {
    await stored;
  }
  return wholeReply(relayed, accepted.printed);
}
