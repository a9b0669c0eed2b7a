import { afterAll, describe, expect, test } from "vitest";
import type { VendorApi } from "@/server/domain/enums";
import { createDispatcher, createUpstreams, type VideoSpec } from "@/server/upstream";
import { perFile } from "@/tests/support/per-file";
import { type FakeUpstream, refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";
import { loadRecording, type RecordedExchange } from "./corpus";
import { fields, list, string } from "./json";
import { cutAtRandom, randomOf, replay } from "./replay";
import { recordedSuite, rowsOf } from "./suite";

/** The adapter's result for a recorded answer. A task's name comes from the recording itself. */
type AdapterReading = { dialect: VendorApi; operation: "submit" | "poll"; means: object };

const submitted = (dialect: VendorApi, ref: string): AdapterReading => ({
  ...{ dialect, operation: "submit", means: { kind: "accepted", ref } },
});
const polled = (dialect: VendorApi, means: object): AdapterReading => ({ dialect, operation: "poll", means });
const processing = { kind: "processing", progress: null, isQueued: false };
const failed = (code: string, message: string) => ({ kind: "failed", code, message });
const completed = (url: string | null) => ({ kind: "completed", url, isServed: false });

const native = (name: string) => `dashscope/native_json_${name}_nosse`;
const xai = (name: string) => `xai/video_json_xai_video_${name}`;

const readings: Record<string, AdapterReading> = {
  [native("auth_error")]: {
    dialect: "dashscope",
    operation: "submit",
    means: {
      ...{ kind: "refused", fault: "channel", code: "upstream_error" },
      message: "status 401: Invalid API-key provided.",
    },
  },
  [native("background_generation")]: submitted("dashscope", "b2e98d78-c79b-431c-b2d7-c7bcd54465da"),
  [native("image_synthesis")]: submitted("dashscope", "9e2b6ef6-285d-4efa-8651-4dbda7d571fa"),
  // Tasks of other kinds: their files are not videos.
  [native("get_task_background_generation_success")]: polled("dashscope", completed(null)),
  [native("get_task_batch_text_embedding_success")]: polled("dashscope", completed(null)),
  [native("get_task_image_synthesis_success")]: polled("dashscope", completed(null)),
  [native("get_task_running")]: polled("dashscope", processing),
  [native("get_task_unknown")]: polled("dashscope", { kind: "lost" }),
  "sora/video_json_sora2_create_1": submitted(
    "openai-video",
    "video_691608967fe8819399e710799dae2ae708872b008b63ff61",
  ),
  "sora/video_json_sora2_poll_completed_2": polled("openai-video", completed(null)),
  [xai("create_0")]: submitted("xai-video", "req-123"),
  [xai("poll_pending_1")]: polled("xai-video", processing),
  [xai("poll_failed_2")]: polled("xai-video", failed("content_policy", "Content policy violation")),
  [xai("poll_expired_3")]: polled("xai-video", failed("upstream_expired", "上游任务已过期")),
  [xai("poll_done_moderated_4")]: polled("xai-video", failed("content_policy", "视频内容未通过上游审核")),
  [xai("poll_done_cost_5")]: polled("xai-video", completed("https://vidgen.x.ai/output/video-001.mp4")),
  "kling/video_json_kling_poll_succeed_1": polled(
    "kling",
    completed("https://p1.a.kwimgs.com/output/video-001.mp4"),
  ),
  "kling/video_json_kling_poll_failed_2": polled(
    "kling",
    failed("content_policy", "Content policy violation"),
  ),
};

const taskList = native("list_task");

const dialects = ["dashscope", "ark", "openai-video", "xai-video", "kling"] as const;

/** Providers whose answers every other vendor's adapter gets. null: no adapter is for it. */
const speakers: Record<string, (typeof dialects)[number] | null> = {
  gemini: null,
  kling: "kling",
  xai: "xai-video",
};

/**
 * Its states name no task and use other vendors' words, so a poll would accept them: no such task may ever be polled.
 */
const isUnnamed = ({ provider }: RecordedExchange) => provider === "xai";

const spec: VideoSpec = {
  model: "wanx2.1-t2v-turbo",
  prompt: "aurora",
  durationSeconds: 5,
  resolution: "720p",
  aspectRatio: null,
};

/** The task of an answer. */
function refOf(exchange: RecordedExchange): string {
  const body = fields(JSON.parse(loadRecording(exchange).body.toString("utf8")));
  const { task_id } = { ...fields(body.output), ...fields(body.data) };
  return string(task_id) || string(body.id) || "unnamed";
}

const upstream = perFile(() => startUpstream(refuseWith(500)));
const dispatcher = createDispatcher();
afterAll(() => dispatcher.close());
const adapterOf = (dialect: VendorApi) => createUpstreams(dispatcher)[dialect].videos;
const targetOf = ({ baseUrl }: FakeUpstream) => ({
  ...{ baseUrl, secret: "sk-recorded", signal: AbortSignal.timeout(60_000) },
});

async function ask(exchange: RecordedExchange, { dialect, operation }: AdapterReading) {
  const recording = loadRecording(exchange);
  upstream.answer(replay(recording, cutAtRandom(recording.body, randomOf(`${exchange.dir} ${dialect}`))));
  const [adapter, target] = [adapterOf(dialect), targetOf(upstream)];
  if (!adapter) {
    throw new Error(`${dialect} makes no videos`);
  }
  return operation === "submit"
    ? await adapter.submit(target, spec, "task-1")
    : await adapter.poll(target, refOf(exchange));
}

function declare(exchanges: RecordedExchange[]): void {
  const named = exchanges.filter(({ dir }) => dir in readings);

  describe("a recorded answer about a task, cut anywhere, is read correctly", () => {
    test.each(rowsOf(named))("$dir", async ({ exchange, dir }) => {
      const reading = readings[dir] as AdapterReading;
      expect(await ask(exchange, reading)).toEqual(reading.means);
    });
  });

  test("each recorded answer about a task has a reading here", () => {
    const about = exchanges.filter(
      (exchange) =>
        speakers[exchange.provider] !== null &&
        (exchange.endpoint === "video" || exchange.path.startsWith("/api/v1/tasks")),
    );
    expect(about.map(({ dir }) => dir).filter((dir) => !(dir in readings))).toEqual([taskList]);
    expect(named.map(({ dir }) => dir).sort()).toEqual(Object.keys(readings).sort());
  });

  describe("another vendor's recorded answer neither ends nor repeats a task", () => {
    const cases = exchanges
      .filter(({ provider }) => provider in speakers)
      .flatMap((exchange) =>
        dialects
          .filter((dialect) => dialect !== speakers[exchange.provider])
          .map((dialect) => ({ exchange, dialect, dir: exchange.dir })),
      );
    test.each(cases)("$dir to $dialect", async ({ exchange, dialect }) => {
      const submitted = await ask(exchange, { dialect, operation: "submit", means: {} });
      // Not accepted: a task without a reference is never polled.
      expect(submitted).toMatchObject({ kind: "unknown" });
      if (!isUnnamed(exchange)) {
        const polled = await ask(exchange, { dialect, operation: "poll", means: {} });
        expect(polled).toMatchObject({ kind: "transient" });
      }
    });
  });

  test("a recorded list leads to the lost task, by its time and its prompt", async () => {
    const exchange = exchanges.find(({ dir }) => dir === taskList);
    const recorded: unknown = exchange && JSON.parse(loadRecording(exchange).body.toString("utf8"));
    const [task] = list(fields(recorded).data);
    const created = Number(task?.gmt_create);
    upstream.answer(({ path }, response) => {
      const output = { task_id: task?.task_id, task_status: "RUNNING", orig_prompt: "aurora" };
      sendJson(response, 200, path.includes("/tasks?") ? recorded : { output });
    });
    const find = async (prompt: string, since: number, usedRefs = new Set<string>()) =>
      await adapterOf("dashscope")?.find?.(targetOf(upstream), {
        ...{ spec: { ...spec, prompt }, taskId: "task-1", since: new Date(since), usedRefs },
      });
    expect(await find("aurora", created)).toBe(task?.task_id);
    expect(await find("aurora", created + 1)).toBeNull();
    expect(await find("sunset", created)).toBeNull();
    expect(await find("aurora", created, new Set([string(task?.task_id)]))).toBeNull();
  });
}

recordedSuite(["dashscope.native", "video"], declare);
