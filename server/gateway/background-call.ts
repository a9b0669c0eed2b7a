import type { BackgroundTask } from "@/server/responses";
import type { BodyBudget } from "./body-bytes";
import type { AuthedCall } from "./call";

/** The call of a background response as its client would have made it, who has gone. `stop` ends it. */
export function backgroundCall(
  { bodies }: { bodies: BodyBudget },
  { task, stop }: { task: BackgroundTask; stop: AbortController },
): AuthedCall {
  const { accountId, keyId, requestId, asked } = task;
  const unlimited = { requestsPerMinute: null, tokensPerMinute: null, maxConcurrent: null, dailyLimit: null };
  return {
    requestId,
    request: new Request("http://background/v1/responses", {
      method: "POST",
      signal: stop.signal,
      headers: { "accept-language": asked.language },
    }),
    facts: { accountId, keyId, model: task.modelId, stream: true },
    // Nobody hears it, but what has come of one that is cancelled is told from it.
    ...{ attempts: [], passedOn: {}, shown: {}, afterwards: [], ended: () => {}, unheard: () => {} },
    caller: {
      ...{
        accountId,
        keyId,
        requestsPerMinute: null,
        maxConcurrent: null,
        monthlyCap: null,
        dailyCap: null,
        weeklyCap: null,
        tellsCost: false,
        cachesPrompts: false,
      },
      // It was limited when it was asked for.
      ...{ account: { ...unlimited, storesResponses: true, priceGroupId: null }, models: [] },
    },
    bytes: bodies.open({ id: keyId, accountId }),
  };
}
