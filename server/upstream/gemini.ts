import type { Upstream, UpstreamCall } from "./adapter";
import { type Connections, postCall } from "./http";
import { modelLister } from "./model-list";

const signed = (secret: string) => ({ "x-goog-api-key": secret });

/** Any vendor that speaks Google's dialect under its base URL, which ends in a version. */
export function geminiUpstream(connections: Connections): Upstream {
  return {
    gemini: async (call: UpstreamCall) => {
      if (call.path === undefined) {
        throw new Error("a call in Google's dialect has the model in its address");
      }
      return await postCall(connections, call, { path: call.path, headers: signed(call.secret) });
    },
    models: modelLister(connections.dispatcher, { headers: signed, query: "pageSize=1000" }),
  };
}
