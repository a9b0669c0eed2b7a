import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { Billing, Hold } from "@/server/billing";
import type { JsonObject } from "@/server/protocol/fields";
import { echoOf, writeResponse } from "@/server/protocol/responses/answer-out";
import { type ResponsesRequest, withReferred } from "@/server/protocol/responses/request";
import type { BackgroundTask } from "@/server/responses";
import { type AuthedCall, getNamedModel } from "./call";
import { freeze, type GatewayDeps } from "./paid-call";
import type { responsesKind } from "./request-kinds";

type Parsed = ReturnType<typeof responsesKind.parse>;

type Submission = {
  id: string;
  known: Pick<Parsed, "model" | "maxOutputTokens" | "choices" | "inputTokens" | "units" | "referred">;
  open: () => Promise<ResponsesRequest>;
  recalled: { items: ReadonlyMap<string, JsonObject> };
  /** Whether the account keeps responses. */
  isKeeping: boolean;
};

/** The money of a response in the background, which no process has to stay alive for. */
export const backgroundHold = ({
  requestId,
  accountId,
  period,
  amount,
}: Pick<BackgroundTask, "requestId" | "accountId" | "period" | "amount">): Hold => ({
  ...{ requestId, accountId, period, amount },
  drawn: null,
  lost: new AbortController().signal,
});

/**
 * Takes a response in hand whose client does not wait for it: its money is frozen, and it stands in line, when this
 * returns. Throws what `freeze` throws, and invalidParameters where nothing is kept.
 */
export async function submitBackground(
  deps: GatewayDeps,
  call: AuthedCall,
  { id, known, open, recalled, isKeeping }: Submission,
): Promise<Reply> {
  const model = await getNamedModel(deps.catalog, call, { id: known.model, kind: "chat" });
  if (!isKeeping) {
    throw new GatewayError("invalidParameters", details.backgroundIsKept());
  }
  const { requestId, request } = call;
  const asked = await open();
  const context = { model: model.id, inputTokens: known.inputTokens, fallbackId: id, now: deps.clock() };
  const form = { id, echo: echoOf(asked.fields), context };
  const response = writeResponse(form, { status: "queued", output: [], usage: null });
  const input = withReferred(asked, { history: [], items: recalled.items }) ?? [];
  const stored = { id, parentId: known.referred.previousId, input, output: [], response };
  const most = Math.min(known.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  const order = {
    ...{ requestId, stored, modelId: model.id },
    asked: {
      ...{ id, body: asked.raw, maxOutputTokens: most, isLowered: (known.maxOutputTokens ?? 0) > most },
      language: languageOf(request.headers.get("accept-language")),
    },
  };
  // The whole ceiling or nothing: nobody is there to hear of a lower limit.
  const hold: Billing["hold"] = async ({ accountId, keyId, keyCap, amount }) => {
    const owner = { accountId, keyId, keyCap };
    const { period } = await deps.background.enqueue({ ...order, amount, owner });
    return backgroundHold({ requestId, accountId, period, amount });
  };
  await freeze({ ...deps, billing: { ...deps.billing, hold } }, { call, model }, known);
  // What it uses is known when its minute is long over.
  call.facts.tokens = known.inputTokens + most;
  return jsonReply(200, response);
}
