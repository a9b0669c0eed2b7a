import type { Dispatcher } from "undici";
import { type Clock, systemClock } from "@/server/base/clock";
import { halvesOf } from "@/server/base/key-pairs";
import { withoutSecrets } from "@/server/base/redactor";
import { type Ask, createAsk } from "./answer";
import { refuseForKling, toKlingBody } from "./kling-spec";
import { readKlingFound, readKlingPolled, readKlingSubmitted } from "./kling-task";
import { klingToken, withoutKlingTokens } from "./kling-token";
import { isTaskRef } from "./task-ref";
import type { VideoUpstream } from "./video-upstream";

/** The tasks' address. Operators give the host, or its `/v1`. */
export const klingTasks = (baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/videos/text2video`;

/**
 * Asks with a token of its own for each call. What is answered is read without it, without earlier ones and without
 * the halves of the pair: a vendor knows them all, and the words of its errors are shown.
 */
function askWithPair(dispatcher: Dispatcher, clock: Clock): Ask {
  const ask = createAsk(dispatcher);
  return async (target, question) => {
    const { accessKey, secretKey } = halvesOf(target.secret);
    const token = klingToken(target.secret, clock());
    const answer = await ask(target, { ...question, headers: { authorization: `Bearer ${token}` } });
    return answer.kind === "answered" && answer.text !== null
      ? {
          ...answer,
          text: withoutSecrets(withoutKlingTokens(answer.text, target.secret), [token, accessKey, secretKey]),
        }
      : answer;
  };
}

/** Kling. It cancels nothing. */
export function klingVideos(dispatcher: Dispatcher, clock: Clock = systemClock): VideoUpstream {
  const ask = askWithPair(dispatcher, clock);
  const look = (target: Parameters<Ask>[0], id: string) =>
    ask(target, { method: "GET", url: `${klingTasks(target.baseUrl)}/${encodeURIComponent(id)}` });
  return {
    // What an account may run at a time is its package's affair, and answered with 1303.
    usualTasks: null,
    refusal: refuseForKling,
    submit: async (target, spec, taskId) =>
      readKlingSubmitted(
        await ask(target, {
          method: "POST",
          url: klingTasks(target.baseUrl),
          json: toKlingBody(spec, taskId),
        }),
      ),
    poll: async (target, ref) => readKlingPolled(await look(target, ref), ref),
    /** A task is asked for by our identifier as by its own. */
    find: async (target, { taskId }) => {
      const ref = readKlingFound(await look(target, taskId), taskId);
      return ref !== null && isTaskRef(ref) ? ref : null;
    },
  };
}
