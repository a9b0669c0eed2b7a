import type { Dispatcher } from "undici";
import { createAsk, readCancelled, readPolled, readSubmitted } from "./answer";
import { findDashscopeTask } from "./dashscope-search";
import { refuseForDashscope, toDashscopeBody } from "./dashscope-spec";
import { readDashscopePoll, readDashscopeRef } from "./dashscope-task";
import type { VideoUpstream } from "./video-upstream";

/**
 * The root of the native API, from the operator's address: the host, or the address for chat. Channels without a path
 * were stored with `/v1`.
 */
export const dashscopeRoot = (baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, "").replace(/(\/(api|compatible-mode))?\/v1$/, "")}/api/v1`;

/** Two tasks run at once per account and model; twelve end within ten minutes at 90 seconds each. */
const USUAL_TASKS = 12;

/** Alibaba Model Studio (DashScope): Wan. */
export function dashscopeVideos(dispatcher: Dispatcher): VideoUpstream {
  const ask = createAsk(dispatcher);
  return {
    usualTasks: USUAL_TASKS,
    refusal: refuseForDashscope,
    submit: async (target, spec) => {
      const answer = await ask(target, {
        method: "POST",
        url: `${dashscopeRoot(target.baseUrl)}/services/aigc/video-generation/video-synthesis`,
        // Without it the vendor answers 403, since it makes videos in no other way.
        headers: { "x-dashscope-async": "enable" },
        json: toDashscopeBody(spec),
      });
      return readSubmitted(answer, readDashscopeRef);
    },
    poll: async (target, ref) => {
      const url = `${dashscopeRoot(target.baseUrl)}/tasks/${encodeURIComponent(ref)}`;
      return readPolled(await ask(target, { method: "GET", url }), (text) => readDashscopePoll(text, ref));
    },
    /** Works only for PENDING tasks; otherwise 400 UnsupportedOperation. */
    cancel: async (target, ref) => {
      const url = `${dashscopeRoot(target.baseUrl)}/tasks/${encodeURIComponent(ref)}/cancel`;
      return readCancelled(await ask(target, { method: "POST", url }));
    },
    find: (target, { spec, since, usedRefs = new Set() }) =>
      findDashscopeTask(ask, target, { root: dashscopeRoot(target.baseUrl), spec, since, usedRefs }),
  };
}
