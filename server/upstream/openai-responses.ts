import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";
import { modelLister } from "./model-list";
import { bearer } from "./openai";

/** Any vendor that speaks the Responses dialect under its base URL. */
export function openaiResponsesUpstream(connections: Connections): Upstream {
  return {
    responses: (call: UpstreamCall) =>
      postCall(connections, call, {
        path: "/responses",
        headers: bearer(call.secret),
      }),
    models: modelLister(connections.dispatcher, { headers: bearer, query: "" }),
  };
}
