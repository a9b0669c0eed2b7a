import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";

/** Any vendor that speaks the messages dialect under its base URL, which ends in `/v1`. */
export function anthropicUpstream(connections: Connections): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postCall(connections, call, { path, headers: { "x-api-key": call.secret } });
  return { messages: post("/messages"), countTokens: post("/messages/count_tokens") };
}
