import { expect, test } from "vitest";
import { type ShownTask, statusView, submissionView } from "./view";

const createdAt = new Date(Date.UTC(2026, 4, 1, 12));
const completedAt = new Date(Date.UTC(2026, 4, 1, 12, 1, 30));

const task = (change: Partial<ShownTask>): ShownTask => ({
  ...{ id: "vid_1", modelId: "m", state: "processing", progress: 40, error: null },
  ...{ createdAt, completedAt: null },
  ...change,
});

const view = (change: Partial<ShownTask>) =>
  statusView(task(change), () => ({ videoUrl: "https://v.example/1.mp4", totalCost: 1.2 }), "zh");

const common = { id: "vid_1", model: "m", created_at: "2026-05-01T12:00:00.000Z" };

test("a submission's answer has four members and the status processing, whatever the state of the task", () => {
  for (const state of ["submitting", "processing", "completed", "failed"] as const) {
    expect(submissionView(task({ state }))).toEqual({ ...common, status: "processing" });
  }
});

test.each(["submitting", "processing"] as const)(
  "a task in the state %s has the status processing for its owner",
  (state) => {
    expect(view({ state })).toEqual({ ...common, status: "processing", progress: 40, completed_at: null });
  },
);

test("litellm#15898: a completed task has its video and its cost", () => {
  expect(view({ state: "completed", progress: 100, completedAt })).toEqual({
    ...common,
    status: "completed",
    progress: 100,
    completed_at: "2026-05-01T12:01:30.000Z",
    video_url: "https://v.example/1.mp4",
    usage: { total_cost: 1.2 },
  });
});

test("a failed task has its error, its last progress and no time of completion", () => {
  const error = { code: "timeout", message: "too late" };
  const failed = { ...common, status: "failed", progress: 40, completed_at: null };
  expect(view({ state: "failed", error })).toEqual({ ...failed, error });
  expect(view({ state: "failed" })).toEqual({
    ...failed,
    error: { code: expect.any(String), message: expect.any(String) },
  });
});

test("a cancelled task has the same members as one in process", () => {
  const ended = { ...common, progress: 40, completed_at: null };
  expect(view({ state: "cancelled" })).toEqual({ ...ended, status: "cancelled" });
});

test("no video is asked for if the task has none", () => {
  const ask = () => {
    throw new Error("asked");
  };
  for (const state of ["submitting", "processing", "failed", "cancelled"] as const) {
    expect(statusView(task({ state }), ask, "zh")).not.toHaveProperty("video_url");
  }
});
