import { afterAll, beforeAll } from "vitest";
import {
  createDispatcher,
  createUpstreams,
  type VideoContent,
  type VideoSpec,
  type VideoUpstream,
} from "@/server/upstream";
import { collectItems } from "./collect-items";
import { type FakeUpstream, startUpstream } from "./upstream";

export const videoDialects = ["dashscope", "ark", "openai-video", "xai-video", "kling"] as const;

export const videoSpec: VideoSpec = {
  ...{ model: "wan2.6-t2v", prompt: "aurora", durationSeconds: 5 },
  ...{ resolution: "720p", aspectRatio: null },
};

export type VideoFile = Extract<VideoContent, { kind: "file" }>;

export const readAll = async ({ body }: VideoFile) => Buffer.concat(await collectItems(body));

/** The adapters of all dialects, and a fake vendor for a file's tests. */
export function videoAdapters() {
  const dispatcher = createDispatcher();
  const upstreams = createUpstreams(dispatcher);
  let upstream: FakeUpstream;
  beforeAll(async () => {
    upstream = await startUpstream((_asked, response) => void response.end());
  });
  afterAll(async () => {
    await upstream.close();
    await dispatcher.close();
  });
  return {
    dispatcher,
    get upstream() {
      return upstream;
    },
    videosOf(dialect: (typeof videoDialects)[number] | "sandbox"): VideoUpstream {
      const { videos } = upstreams[dialect];
      if (!videos) {
        throw new Error(`${dialect} makes no videos`);
      }
      return videos;
    },
    targetOf: (baseUrl = upstream.baseUrl, signal = AbortSignal.timeout(30_000)) => ({
      baseUrl,
      secret: "sk-secret",
      signal,
    }),
  };
}
