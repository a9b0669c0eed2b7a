import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";

/** Any vendor that speaks the Responses dialect under its base URL. */
export function openaiResponsesUpstream(connections: Connections): Upstream {
  return {
    responses: (call: UpstreamCall) =>
      postCall(connections, call, {
        path: "/responses",
        headers: { authorization: `Bearer ${call.secret}` },
      }),
  };
}
