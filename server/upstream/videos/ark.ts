import type { Dispatcher } from "undici";
import { createAsk, readCancelled, readPolled, readSubmitted } from "./answer";
import { refuseForArk, toArkBody } from "./ark-spec";
import { readArkPoll, readArkRef } from "./ark-task";
import { cancelWhileQueued } from "./cancel-while-queued";
import type { VideoUpstream } from "./video-upstream";

/** The tasks' address. Operators enter the host or its `/api/v3`; channels without a path were stored with `/v1`. */
export const arkTasks = (baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, "").replace(/\/(api\/v3|v1)$/, "")}/api/v3/contents/generations/tasks`;

/** The vendor queues 120 tasks for an account. */
const USUAL_TASKS = 100;

/** Volcengine Ark and BytePlus ModelArk: Seedance. */
export function arkVideos(dispatcher: Dispatcher): VideoUpstream {
  const ask = createAsk(dispatcher);
  const poll: VideoUpstream["poll"] = async (target, ref) => {
    const url = `${arkTasks(target.baseUrl)}/${encodeURIComponent(ref)}`;
    return readPolled(await ask(target, { method: "GET", url }), (text) => readArkPoll(text, ref));
  };
  return {
    usualTasks: USUAL_TASKS,
    refusal: refuseForArk,
    submit: async (target, spec) => {
      const question = { method: "POST", url: arkTasks(target.baseUrl), json: toArkBody(spec) } as const;
      return readSubmitted(await ask(target, question), readArkRef);
    },
    poll,
    /**
     * DELETE cancels a queued task, is refused while a task runs, and deletes the record of an ended task, with its
     * file.
     */
    cancel: async (target, ref, state) =>
      cancelWhileQueued(state ?? (await poll(target, ref)), async () => {
        const url = `${arkTasks(target.baseUrl)}/${encodeURIComponent(ref)}`;
        return readCancelled(await ask(target, { method: "DELETE", url }));
      }),
  };
}
