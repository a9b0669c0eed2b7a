import { affordableTokens, ceilingNanos, type Hold } from "@/server/billing";
import type { Model } from "@/server/catalog";
import { outputTokenField } from "@/server/channels";
import { GatewayError } from "@/server/errors";
import { type ChatRequest, parseChatRequest } from "@/server/protocol/chat";
import { estimateChatInput } from "@/server/protocol/estimate";
import { setMembers } from "@/server/protocol/json-splice";
import type { Reply } from "@/server/reply";
import { readJsonText } from "./body";
import type { ChatCall, ChatDeps } from "./chat-call";
import type { AuthedCall } from "./endpoint";
import { relayAnswer } from "./relay-answer";
import { relayStream } from "./relay-stream";

/** Below this a capped answer is of no use to anyone (design, section 3). */
const MIN_CAPPED_TOKENS = 1_024;

/** Our count of a prompt may be low, vendors add a few tokens of their own, and a hold should be a ceiling. */
const inputCeiling = (estimate: number) => Math.ceil(estimate * 1.3) + 32;

type Terms = {
  hold: Hold;
  /** An output limit that the client did not name but can afford no more than. */
  cap: number | null;
};

/** Freezes the most that the call can cost; throws 402. */
async function freeze(
  deps: ChatDeps,
  call: AuthedCall,
  want: { model: Model; request: ChatRequest; inputTokens: number },
): Promise<Terms> {
  const { model, request } = want;
  const { prices } = model;
  const input = inputCeiling(want.inputTokens);
  const ceiling = (output: number) => ceilingNanos({ input, output: output * request.choices }, prices);
  const named = request.maxOutputTokens;
  const most = named ?? model.maxOutputTokens;
  const hold = await deps.billing.hold({
    requestId: call.requestId,
    accountId: call.caller.accountId,
    amount: ceiling(most),
    ...(named === null && { minimum: ceiling(Math.min(MIN_CAPPED_TOKENS, most)) }),
  });
  if (hold.amount >= ceiling(most)) {
    return { hold, cap: null };
  }
  const budget = hold.amount - ceiling(0);
  return { hold, cap: Math.floor(affordableTokens(budget, prices) / request.choices) };
}

/** The request for one upstream: every field as the client sent it, but for the few that are ours. */
function upstreamBody(request: ChatRequest, upstreamName: string, cap: number | null): string {
  const options = request.fields.stream_options;
  return setMembers(request.raw, {
    model: upstreamName,
    // Billing needs the upstream's own count; the client sees it only if it asked.
    stream_options: request.isStream
      ? { ...(typeof options === "object" ? options : {}), include_usage: true }
      : undefined,
    ...(cap !== null && { [outputTokenField(upstreamName)]: cap }),
  });
}

/** POST /v1/chat/completions (spec 4.2): parse, resolve, hold, dispatch, meter, capture, respond. */
export function chatCompletions(deps: ChatDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const request = parseChatRequest(await readJsonText(call.request));
    const model = await deps.catalog.get(request.model, "chat");
    call.facts.model = model.id;
    call.facts.stream = request.isStream;
    const inputTokens = estimateChatInput(request.fields);
    const { hold, cap } = await freeze(deps, call, { model, request, inputTokens });
    const chat: ChatCall = {
      call,
      model,
      hold,
      inputTokens,
      wantsUsage: request.wantsUsage,
      body: (route) => upstreamBody(request, route.upstreamName, cap),
    };
    const reply = await (request.isStream ? relayStream(deps, chat) : relayAnswer(deps, chat)).catch(
      (error: unknown) => {
        // A failed capture has settled the hold's fate already; anything else returns the money.
        if (!(error instanceof GatewayError && error.kind === "billingFailed")) {
          deps.billing.release(hold, error instanceof GatewayError ? error.slug : "internal");
        }
        throw error;
      },
    );
    if (cap !== null) {
      reply.headers["x-quota-capped"] = String(cap);
    }
    return reply;
  };
}
