import { GatewayError } from "@/server/base/errors";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { Model } from "@/server/catalog";
import { UpstreamFault } from "@/server/channels";
import { isJsonObject } from "@/server/protocol/fields";
import { type CountRequest, countBody } from "@/server/protocol/messages/count-request";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import { readCall } from "./body/body";
import { type AuthedCall, getNamedModel } from "./pipeline/call";
import { dispatchCall } from "./pipeline/dispatch-call";
import type { GatewayDeps } from "./pipeline/gateway-deps";
import { readAnswerJson } from "./pipeline/relay-answer";
import { countKind } from "./pipeline/request-kinds";

/** Returns the count of a channel that can count. Throws as `dispatch` does: a 502 if none can. */
async function countUpstream(
  deps: GatewayDeps,
  call: AuthedCall,
  { model, request, headers }: { model: Model; request: CountRequest; headers: Record<string, string> },
): Promise<unknown> {
  const modelCall = { call, model };
  const { accepted } = await dispatchCall(deps, modelCall, {
    // An immediate estimate is better than a count that takes longer.
    repeats: 0,
    // Vendors cache no prompt of a count, and its latency says nothing about the latency of answers.
    routing: "weight",
    plan: ({ upstreamName, capabilities }) => ({
      operation: "countTokens" as const,
      headers,
      body: countBody(request, { name: upstreamName, checksSignatures: !capabilities.echoesThinking }),
    }),
    accept: async (reply) => {
      const answer = await readAnswerJson(reply);
      if (!isJsonObject(answer) || typeof answer.input_tokens !== "number") {
        throw new UpstreamFault("malformed", "the answer is not a token count");
      }
      return answer;
    },
  });
  return accepted;
}

/**
 * POST /v1/messages/count_tokens, which the spec does not have and Claude Code calls. Returns an upstream's own count
 * if one of the model's channels can give it, otherwise our estimate, whatever failed at the channels (many servers of
 * this dialect do not count). The client gets an upstream's 400. Never billed.
 */
export function countMessagesTokens(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const headers = readMessagesHeaders(call.request.headers);
    const { facts, open } = await readCall(call, countKind);
    const model = await getNamedModel(deps.catalog, call, { id: facts.model, kind: "chat" });
    try {
      const request = await open();
      return jsonReply(200, await countUpstream(deps, call, { model, request, headers }));
    } catch (error) {
      if (!(error instanceof GatewayError && (error.status === 502 || error.kind === "cannotConvert"))) {
        throw error;
      }
      call.logFields.isEstimate = true;
      return jsonReply(200, { input_tokens: facts.inputTokens });
    }
  };
}
