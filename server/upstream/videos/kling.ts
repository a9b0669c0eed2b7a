import type { Dispatcher } from "undici";
import { type Clock, systemClock } from "@/server/base/clock";
import { withoutSecrets } from "@/server/base/redactor";
import { halvesOf } from "@/server/domain/key-pairs";
import { type Ask, createAsk } from "./answer";
import { refuseForKling, toKlingBody } from "./kling-spec";
import { readKlingFound, readKlingPolled, readKlingSubmitted } from "./kling-task";
import { klingToken, withoutKlingTokens } from "./kling-token";
import { isTaskRef } from "./task-ref";
import type { VideoUpstream } from "./video-upstream";

/** The tasks' address. Operators enter the host, or its `/v1`. */
export const klingTasks = (baseUrl: string): string =>
  `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/videos/text2video`;

/**
 * Signs each call with a new token. Removes this token, earlier ones and the halves of the pair from the answer: a
 * vendor knows them all, and the gateway shows the texts of its errors.
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

/** Kling. It has no cancellation. */
export function klingVideos(dispatcher: Dispatcher, clock: Clock = systemClock): VideoUpstream {
  const ask = askWithPair(dispatcher, clock);
  const look = (target: Parameters<Ask>[0], id: string) =>
    ask(target, { method: "GET", url: `${klingTasks(target.baseUrl)}/${encodeURIComponent(id)}` });
  return {
    // The account's package limits its running tasks; the vendor then answers 1303.
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
    /** The vendor finds a task by the gateway's identifier as well as by its own. */
    find: async (target, { taskId }) => {
      const ref = readKlingFound(await look(target, taskId), taskId);
      return ref !== null && isTaskRef(ref) ? ref : null;
    },
  };
}
