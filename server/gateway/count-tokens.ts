import { UpstreamFault } from "@/server/channels";
import { GatewayError } from "@/server/errors";
import { estimateInput } from "@/server/protocol/estimate";
import { isFields } from "@/server/protocol/fields";
import { setMembers } from "@/server/protocol/json-splice";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import { withoutUnsignedThinking } from "@/server/protocol/messages/history";
import { type MessagesRequest, parseMessagesRequest } from "@/server/protocol/messages/request";
import { jsonReply, type Reply } from "@/server/reply";
import { readJsonText } from "./body";
import type { AuthedCall } from "./endpoint";
import { getNamedModel } from "./named-model";
import type { GatewayDeps } from "./paid-call";
import { readAnswerJson } from "./relay-answer";

/** The answer of a channel that can count. Throws what `dispatch` throws: a 502 where none can. */
async function countUpstream(
  deps: GatewayDeps,
  call: AuthedCall,
  asked: { modelId: string; request: MessagesRequest; headers: Record<string, string> },
): Promise<unknown> {
  const { modelId, request, headers } = asked;
  const { accepted } = await deps.channels.dispatch({
    modelId,
    accountId: call.caller.accountId,
    // An estimate at once is better than a count that is waited for.
    repeats: 0,
    plan: ({ upstreamName, capabilities }) => ({
      operation: "countTokens",
      headers,
      body: setMembers(request, {
        model: upstreamName,
        ...(!capabilities.echoesThinking && withoutUnsignedThinking(request.fields)),
      }),
    }),
    accept: async (reply) => {
      const answer = await readAnswerJson(reply);
      if (!isFields(answer) || typeof answer.input_tokens !== "number") {
        throw new UpstreamFault("malformed", "the answer is not a token count");
      }
      return answer;
    },
    signal: call.request.signal,
  });
  return accepted;
}

/**
 * POST /v1/messages/count_tokens, which the spec does not have and Claude Code calls: an upstream's own count where one
 * of the model's channels can give it, our estimate otherwise, whatever went wrong there (many servers of this dialect
 * do not count). An upstream's 400 is the client's. Never billed.
 */
export function countMessagesTokens(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const headers = readMessagesHeaders(call.request.headers);
    const request = parseMessagesRequest(await readJsonText(call.request));
    const model = await getNamedModel(deps.catalog, call, { id: request.model, kind: "chat" });
    try {
      return jsonReply(200, await countUpstream(deps, call, { modelId: model.id, request, headers }));
    } catch (error) {
      if (!(error instanceof GatewayError && error.status === 502)) {
        throw error;
      }
      call.facts.isEstimate = true;
      return jsonReply(200, { input_tokens: estimateInput(request.fields) });
    }
  };
}
