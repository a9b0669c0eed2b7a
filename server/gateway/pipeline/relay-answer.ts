import { printedReply, type Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import { type Attempt, readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
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

const parse = async (text: string, parseLong: ParseLong): Promise<unknown> =>
  text.length <= MAX_AT_ONCE_CHARACTERS
    ? parseWithoutPrice(text)
    : await inTurns(parseLongWithoutPrice(text, parseLong));

function statedError(value: unknown): ReturnType<typeof readUpstreamError> {
  try {
    return readUpstreamError(value);
  } catch (error) {
    throw unreadable(error);
  }
}

/**
 * Parses a 2xx answer's JSON. Throws UpstreamFault if it is not JSON, and the UpstreamFault or GatewayError of an error
 * in it.
 */
export async function parseAnswer(text: string, parseLong: ParseLong = parseInTurns): Promise<unknown> {
  let value: unknown;
  try {
    value = await parse(text, parseLong);
  } catch (error) {
    throw new UpstreamFault("malformed", "the answer is not JSON", { cause: error });
  }
  const words = statedError(value);
  if (words) {
    throw faultOf(words);
  }
  return value;
}

/** Reads a 2xx answer as JSON. Throws as `parseAnswer` does. */
export const readAnswerJson = async (reply: UpstreamReply): Promise<unknown> =>
  await parseAnswer(await readText(reply.body, MAX_ANSWER_BYTES));

async function readWhole(plan: UpstreamPlan, text: string, context: AnswerContext) {
  const answer = await parseAnswer(text, parseLongAnswer);
  return await inTurns(plan.readAnswer(answer, context)).catch(unreadable);
}

/** Reads a stream that came although a whole answer was requested. */
async function readStream(plan: UpstreamPlan, text: string, context: AnswerContext) {
  const answer = await inTurns(plan.otherForm().collect(eventsIn(text), context)).catch(unreadable);
  if (typeof answer === "object" && "words" in answer) {
    throw faultOf(answer.words);
  }
  return answer;
}

async function accept(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { reply, plan, attempt }: { reply: UpstreamReply; plan: UpstreamPlan; attempt: Attempt },
) {
  noteLosses(relayed.call, plan);
  const text = await readText(reply.body, MAX_ANSWER_BYTES);
  const context = answerContext(deps, relayed, attempt);
  const answer = isEventStream(text)
    ? await readStream(plan, text, context)
    : await readWhole(plan, text, context);
  if (answer instanceof UpstreamFault) {
    throw answer;
  }
  if (answer === "malformed") {
    throw new UpstreamFault("malformed", "the answer is not one of this dialect");
  }
  const printed = answer === "unusable" ? null : await inTurns(printInSteps(answer.body));
  if (answer === "unusable" || printed === null) {
    throw new UpstreamFault("unusable", "the answer cannot be translated");
  }
  return { ...answer, printed };
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
  await relayed.thinking?.store();
  return wholeReply(relayed, printed);
}
