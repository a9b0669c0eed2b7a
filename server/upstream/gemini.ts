import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";

/** Any vendor that speaks Google's dialect under its base URL, which ends in a version. */
export function geminiUpstream(connections: Connections): Upstream {
  return {
    gemini: (call: UpstreamCall) =>
      postCall(connections, call, { path: call.path ?? "", headers: { "x-goog-api-key": call.secret } }),
  };
}
