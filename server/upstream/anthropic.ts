import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";
import { modelLister } from "./model-list";

/** Anthropic refuses a list without a version. */
const listHeaders = (secret: string) => ({ "x-api-key": secret, "anthropic-version": "2023-06-01" });

/** Any vendor that speaks the messages dialect under its base URL, which ends in `/v1`. */
export function anthropicUpstream(connections: Connections): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postCall(connections, call, { path, headers: { "x-api-key": call.secret } });
  return {
    messages: post("/messages"),
    countTokens: post("/messages/count_tokens"),
    models: modelLister(connections.dispatcher, { headers: listHeaders, query: "limit=1000" }),
  };
}
