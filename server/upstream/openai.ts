import { forwardedEndpoints } from "@/server/endpoints";
import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";
import { modelLister } from "./model-list";

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Any vendor that speaks the OpenAI dialect under its base URL. */
export function openaiUpstream(connections: Connections): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postCall(connections, call, { path, headers: bearer(call.secret) });
  return {
    chat: post("/chat/completions"),
    completions: post("/completions"),
    embeddings: post("/embeddings"),
    models: modelLister(connections.dispatcher, { headers: bearer, query: "" }),
    ...Object.fromEntries(forwardedEndpoints.map(({ name, path }) => [name, post(path.slice("/v1".length))])),
  };
}
