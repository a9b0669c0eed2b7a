import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";

/** Any vendor that speaks Google's dialect under its base URL, which ends in a version. */
export function geminiUpstream(connections: Connections): Upstream {
  return {
    gemini: async (call: UpstreamCall) => {
      if (call.path === undefined) {
        throw new Error("a call in Google's dialect has the model in its address");
      }
      const headers = { "x-goog-api-key": call.secret };
      return await postCall(connections, call, { path: call.path, headers });
    },
  };
}
