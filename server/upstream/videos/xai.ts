import type { Dispatcher } from "undici";
import { createAsk } from "./answer";
import type { VideoUpstream } from "./video-upstream";
import { readXaiPolled, readXaiSubmitted, refuseForXai, toXaiBody } from "./xai-task";

/**
 * xAI's Grok Imagine. It accepts no identifier of the gateway's, cancels nothing and lists nothing: a task whose answer
 * is lost cannot be found again, and ends without a charge.
 */
export function xaiVideos(dispatcher: Dispatcher): VideoUpstream {
  const ask = createAsk(dispatcher);
  return {
    usualTasks: null,
    refusal: refuseForXai,
    submit: async (target, spec) => {
      const url = `${target.baseUrl}/videos/generations`;
      return readXaiSubmitted(await ask(target, { method: "POST", url, json: toXaiBody(spec) }));
    },
    poll: async (target, ref) => {
      const url = `${target.baseUrl}/videos/${encodeURIComponent(ref)}`;
      return readXaiPolled(await ask(target, { method: "GET", url }), ref);
    },
  };
}
