import { GatewayError } from "@/server/errors";
import type { Conversation } from "@/server/protocol/exchange";
import type { Reply } from "@/server/reply";
import { readJsonText } from "./body";
import type { ConversationCall } from "./conversation-call";
import type { AuthedCall } from "./endpoint";
import { getNamedModel } from "./named-model";
import { freeze, type GatewayDeps, releasingOnFailure } from "./paid-call";
import { relayAnswer } from "./relay-answer";
import { relayStream } from "./relay-stream";

/** Takes a call's headers, and then its body: what is wrong with the first is said before the second is read. */
type Parse = (headers: Headers) => (raw: string) => Conversation;

/** Chat and messages alike: parse, resolve, hold, dispatch, meter, capture, respond. */
export function converse(deps: GatewayDeps, parse: Parse): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const parseBody = parse(call.request.headers);
    const conversation = parseBody(await readJsonText(call.request));
    call.facts.stream = conversation.isStream;
    const model = await getNamedModel(deps.catalog, call, { id: conversation.model, kind: "chat" });
    const { maxOutputTokens, isCapped, ...paid } = await freeze(deps, { call, model }, conversation);
    const isLowered = (conversation.maxOutputTokens ?? 0) > maxOutputTokens;
    const terms = { maxOutputTokens, isCapped: isCapped || isLowered };
    const relayed: ConversationCall = {
      ...paid,
      conversation,
      exchange: ({ wire, upstreamName, capabilities }) =>
        conversation.exchangeWith({ wire, name: upstreamName, capabilities }, terms),
    };
    const relay = conversation.isStream ? relayStream : relayAnswer;
    const reply = await releasingOnFailure(deps, paid.hold, () => relay(deps, relayed)).catch(
      (error: unknown) => {
        throw reworded(error, conversation);
      },
    );
    if (isCapped) {
      reply.headers["x-quota-capped"] = String(maxOutputTokens);
    }
    if (isLowered) {
      reply.headers["x-output-capped"] = String(maxOutputTokens);
    }
    return reply;
  };
}

function reworded(error: unknown, { rewordRefusal }: Conversation): unknown {
  return error instanceof GatewayError && error.kind === "upstreamRejected"
    ? new GatewayError("upstreamRejected", rewordRefusal(error.message), { cause: error.cause })
    : error;
}
