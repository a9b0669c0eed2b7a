import type { Dispatcher } from "undici";
import type { Upstream, UpstreamCall } from "./adapter";
import { postJson } from "./http";

/** Any vendor that speaks the OpenAI dialect under its base URL. */
export function openaiUpstream(dispatcher: Dispatcher): Upstream {
  const post = (path: string) => (call: UpstreamCall) =>
    postJson(dispatcher, call, { path, headers: { authorization: `Bearer ${call.secret}` } });
  return { chat: post("/chat/completions"), embeddings: post("/embeddings") };
}
