import { expect, test } from "vitest";
import { isUnderWay, openaiVideo, type ShownVideo } from "./openai-view";

const task: ShownVideo = {
  ...{ id: "task_1", modelId: "m", state: "processing", progress: 0, error: null, prompt: "a cat" },
  ...{ durationSeconds: 8, resolution: "1080p", aspectRatio: "9:16" },
  ...{ createdAt: new Date(1_700_000_000_900), completedAt: null },
};

test("a task is a video with every member that OpenAI's has", () => {
  expect(openaiVideo(task, "en")).toEqual({
    ...{ id: "task_1", object: "video", model: "m", prompt: "a cat", seconds: "8", size: "1080x1920" },
    ...{ created_at: 1_700_000_000, status: "queued", progress: 0, completed_at: null, error: null },
    ...{ expires_at: null, remixed_from_video_id: null },
  });
});

test.each([
  ["submitting", 0, "queued", true],
  ["processing", 0, "queued", true],
  ["processing", 1, "in_progress", true],
  ["completed", 40, "completed", false],
  ["failed", 40, "failed", false],
  ["cancelled", 40, "failed", false],
] as const)("the state %s with progress %i becomes %s", (...[state, progress, status, waits]) => {
  expect(openaiVideo({ ...task, state, progress }, "en").status).toBe(status);
  expect(isUnderWay({ state })).toBe(waits);
});

test("the error of an ended task is in the reader's language, and only a completed task has a time of completion", () => {
  const completedAt = new Date(1_700_000_060_000);
  expect(openaiVideo({ ...task, state: "completed", completedAt }, "en")).toMatchObject({
    progress: 100,
    completed_at: 1_700_000_060,
    error: null,
  });
  const failed = {
    ...task,
    state: "failed",
    error: { code: "timeout", message: "视频生成超时,已退还冻结的额度" },
  } as const;
  expect(openaiVideo(failed, "en").error).toEqual({
    code: "timeout",
    message: "The video timed out; the hold was released",
  });
  expect(openaiVideo(failed, "zh").error).toEqual(failed.error);
  expect(openaiVideo({ ...failed, error: null }, "zh").error?.code).toBe("upstream_error");
  expect(openaiVideo({ ...task, state: "cancelled" }, "zh").error?.code).toBe("cancelled");
  expect(openaiVideo({ ...task, prompt: "" }, "zh").prompt).toBeNull();
});
