import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postJson } from "./http";

/** Any vendor that speaks the OpenAI dialect under its base URL. */
export function openaiUpstream(connections: Connections): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postJson(connections, call, { path, headers: { authorization: `Bearer ${call.secret}` } });
  return {
    chat: post("/chat/completions"),
    embeddings: post("/embeddings"),
    images: post("/images/generations"),
    speech: post("/audio/speech"),
    rerank: post("/rerank"),
    moderations: post("/moderations"),
  };
}
