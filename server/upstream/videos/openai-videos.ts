import type { Dispatcher } from "undici";
import { createAsk, readCancelled, readPolled, readSubmitted } from "./answer";
import { cancelWhileQueued } from "./cancel-while-queued";
import { openContent, probeContent } from "./openai-videos-content";
import { readOpenaiPoll, readOpenaiRef, refuseForOpenai, toOpenaiBody } from "./openai-videos-task";
import type { VideoUpstream } from "./video-upstream";

/** Any vendor that speaks the OpenAI videos shape under a base URL: other gateways, vLLM-Omni and the like. */
export function openaiVideos(dispatcher: Dispatcher): VideoUpstream {
  const ask = createAsk(dispatcher);
  const pathOf = (ref: string) => `/videos/${encodeURIComponent(ref)}`;
  const readRecord: VideoUpstream["poll"] = async (target, ref) => {
    const answer = await ask(target, { method: "GET", url: `${target.baseUrl}${pathOf(ref)}` });
    const channel = { origin: new URL(target.baseUrl).origin, secret: target.secret };
    return readPolled(answer, (text) => readOpenaiPoll(text, { ref, channel }));
  };
  return {
    usualTasks: null,
    refusal: refuseForOpenai,
    submit: async (target, spec) => {
      const question = { method: "POST", url: `${target.baseUrl}/videos`, json: toOpenaiBody(spec) } as const;
      return readSubmitted(await ask(target, question), readOpenaiRef);
    },
    /** The record of a completed task may not mention its file, for which this shape has a separate address. */
    poll: async (target, ref) => {
      const polled = await readRecord(target, ref);
      return polled.kind === "completed" && polled.url === null
        ? await probeContent(dispatcher, target, `${pathOf(ref)}/content`)
        : polled;
    },
    /**
     * Deleting a running job removes its record while the work, and the bill, continues (vllm-project/vllm-omni#6403).
     */
    cancel: async (target, ref, state) =>
      cancelWhileQueued(state ?? (await readRecord(target, ref)), async () =>
        readCancelled(await ask(target, { method: "DELETE", url: `${target.baseUrl}${pathOf(ref)}` })),
      ),
    content: (target, ref, range) =>
      openContent(dispatcher, target, { path: `${pathOf(ref)}/content`, range }),
  };
}
