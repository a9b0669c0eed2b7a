import { forwardedEndpoints } from "@/server/endpoints";
import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";

/** Any vendor that speaks the OpenAI dialect under its base URL. */
export function openaiUpstream(connections: Connections): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postCall(connections, call, { path, headers: { authorization: `Bearer ${call.secret}` } });
  return {
    chat: post("/chat/completions"),
    completions: post("/completions"),
    embeddings: post("/embeddings"),
    ...Object.fromEntries(forwardedEndpoints.map(({ name, path }) => [name, post(path.slice("/v1".length))])),
  };
}
