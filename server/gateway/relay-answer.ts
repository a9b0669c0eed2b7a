import type { Reply } from "@/server/base/reply";
import { type Attempt, readText, UpstreamFault, type UpstreamReply } from "@/server/channels";
import { eventsIn, isEventStream } from "@/server/protocol/sse";
import { readUpstreamError } from "@/server/protocol/upstream-error";
import type { AnswerContext, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { parseWithoutPrice } from "@/server/protocol/vendor-price";
import { affinityOf } from "./affinity";
import { answerContext } from "./answer-context";
import { type ConversationCall, costHeader, faultOf, type GatewayDeps } from "./paid-call";
import { buy } from "./send";
import { inOtherForm, reading } from "./stream-frames";

export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** A 2xx answer's JSON. Throws the UpstreamFault or GatewayError that it stands for when it is none, or an error. */
export function parseAnswer(text: string): unknown {
  let value: unknown;
  try {
    value = parseWithoutPrice(text);
  } catch (error) {
    throw new UpstreamFault("malformed", "the answer is not JSON", { cause: error });
  }
  const words = reading(() => readUpstreamError(value));
  if (words instanceof UpstreamFault) {
    throw words;
  }
  if (words) {
    throw faultOf(words);
  }
  return value;
}

/** A 2xx answer as JSON. Throws as `parseAnswer` does. */
export const readAnswerJson = async (reply: UpstreamReply): Promise<unknown> =>
  parseAnswer(await readText(reply.body, MAX_ANSWER_BYTES));

const readWhole = (plan: UpstreamPlan, sent: unknown, context: AnswerContext) =>
  reading(() => plan.readAnswer(sent, context));

/** A stream that came though a whole answer was asked for. */
function readStream(plan: UpstreamPlan, text: string, context: AnswerContext) {
  const answer = inOtherForm(plan, (form) => form.collect(eventsIn(text), context));
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
  const text = await readText(reply.body, MAX_ANSWER_BYTES);
  const context = answerContext(deps, relayed, attempt);
  const answer = isEventStream(text)
    ? readStream(plan, text, context)
    : readWhole(plan, parseAnswer(text), context);
  if (answer instanceof UpstreamFault) {
    throw answer;
  }
  if (answer === "malformed") {
    throw new UpstreamFault("malformed", "the answer is not one of this dialect");
  }
  if (answer === "unusable") {
    throw new UpstreamFault("unusable", "the answer cannot be translated");
  }
  return answer;
}

/** The JSON answer. The charge is on disk before the client gets it. */
export async function relayAnswer(deps: GatewayDeps, relayed: ConversationCall): Promise<Reply> {
  const { body } = await buy(deps, relayed, {
    affinity: affinityOf(relayed),
    plan: relayed.plan,
    accept: (reply, plan: UpstreamPlan, attempt) => accept(deps, relayed, { reply, plan, attempt }),
  });
  await relayed.thinking?.store();
  const headers = {
    "content-type": "application/json; charset=utf-8",
    ...costHeader(relayed.call, relayed.conversation.wantsCost),
  };
  return { status: 200, headers, body };
}
