import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postJson } from "./http";

/** Any vendor that speaks the Responses dialect under its base URL. */
export function openaiResponsesUpstream(connections: Connections): Upstream {
  return {
    responses: (call: UpstreamCall) =>
      postJson(connections, call, {
        path: "/responses",
        headers: { authorization: `Bearer ${call.secret}` },
      }),
  };
}
