import { UpstreamFault } from "@/server/channels";
import { estimateInput } from "@/server/protocol/estimate";
import { isFields } from "@/server/protocol/fields";
import { setMembers } from "@/server/protocol/json-splice";
import { readMessagesHeaders } from "@/server/protocol/messages/headers";
import { withoutUnsignedThinking } from "@/server/protocol/messages/history";
import { parseMessagesRequest } from "@/server/protocol/messages/request";
import { jsonReply, type Reply } from "@/server/reply";
import { readJsonText } from "./body";
import type { AuthedCall } from "./endpoint";
import type { GatewayDeps } from "./paid-call";
import { readAnswerJson } from "./relay-answer";

/**
 * POST /v1/messages/count_tokens, which the spec does not have and Claude Code calls: an upstream's own count where one
 * of the model's channels can give it, our estimate otherwise. Never billed.
 */
export function countMessagesTokens(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const headers = readMessagesHeaders(call.request.headers);
    const request = parseMessagesRequest(await readJsonText(call.request));
    const model = await deps.catalog.get(request.model, "chat");
    call.facts.model = model.id;
    if (!(await deps.channels.serves(model.id, "countTokens"))) {
      return jsonReply(200, { input_tokens: estimateInput(request.fields) });
    }
    const { accepted } = await deps.channels.dispatch({
      modelId: model.id,
      plan: ({ upstreamName, capabilities }) => ({
        operation: "countTokens",
        headers,
        body: setMembers(request.raw, {
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
    return jsonReply(200, accepted);
  };
}
