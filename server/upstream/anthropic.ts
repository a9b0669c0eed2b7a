import type { Dispatcher } from "undici";
import type { Upstream, UpstreamCall } from "./adapter";
import { postJson } from "./http";

/** Any vendor that speaks the messages dialect under its base URL, which ends in `/v1`. */
export function anthropicUpstream(dispatcher: Dispatcher): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postJson(dispatcher, call, { path, headers: { "x-api-key": call.secret } });
  return { messages: post("/messages"), countTokens: post("/messages/count_tokens") };
}
