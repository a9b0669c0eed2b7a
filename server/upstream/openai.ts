import type { Dispatcher } from "undici";
import type { Upstream } from "./adapter";
import { postJson } from "./http";

/** Any vendor that speaks the OpenAI dialect under its base URL. */
export function openaiUpstream(dispatcher: Dispatcher): Upstream {
  return {
    chat: (call) =>
      postJson(dispatcher, call, {
        path: "/chat/completions",
        headers: { authorization: `Bearer ${call.secret}` },
      }),
  };
}
