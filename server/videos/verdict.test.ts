import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { Polled } from "@/server/upstream";
import { branded } from "@/tests/support/branded";
import type { TaskRow } from "./rows";
import { judge } from "./verdict";

const start = new Date("2026-01-01T00:00:00Z");
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);
const task: TaskRow = {
  ...{ id: branded("task_1"), accountId: branded("a"), keyId: branded("k"), modelId: "m", prompt: "p" },
  ...{ durationSeconds: 5, resolution: "720p", aspectRatio: null, state: "processing", progress: 0 },
  ...{ errorCode: null, errorMessage: null, videoUrl: null, price: nanos(1n), period: "2026-01" },
  ...{ channelId: branded("c"), upstream: null, credential: null, upstreamRef: "ref", createdAt: start },
  ...{ deadlineAt: at(600), submitStartedAt: start, lastPollAt: null, pollErrors: 0, timesLost: 0 },
  ...{ timesEmpty: 0, completedAt: null, endedAt: null, lateResult: null },
};
const look = (seconds: number) => ({ now: at(seconds), debounceMs: 15_000, random: 0 });
const running: Polled = { kind: "processing", progress: null, isQueued: false };
const silent: Polled = { kind: "transient", message: "503", retryAfterMs: null };
const empty: Polled = { kind: "completed", url: null, isServed: false };

test("a completed task has a file, or its vendor serves the file", () => {
  const done: Polled = { kind: "completed", url: "https://v/1.mp4", isServed: false };
  expect(judge(task, done, look(60))).toMatchObject({
    event: { kind: "completed" },
    videoUrl: "https://v/1.mp4",
  });
  expect(judge(task, { ...empty, isServed: true }, look(60))).toMatchObject({
    event: { kind: "completed" },
    videoUrl: null,
  });
});

test("a completion without a file fails the task on the third poll, and not before", () => {
  expect(judge(task, empty, look(60))).toMatchObject({ event: null, timesEmpty: 1 });
  expect(judge({ ...task, timesEmpty: 2 }, empty, look(60))).toMatchObject({
    event: { kind: "failed", code: "upstream_bad_result" },
  });
});

test("a task that its vendor does not know fails on the third poll, and not in its first minute", () => {
  const lost: Polled = { kind: "lost" };
  expect(judge({ ...task, timesLost: 1 }, lost, look(90))).toMatchObject({ event: null, timesLost: 2 });
  expect(judge({ ...task, timesLost: 2 }, lost, look(45))).toMatchObject({ event: null });
  expect(judge({ ...task, timesLost: 2 }, lost, look(90))).toMatchObject({
    event: { kind: "failed", code: "upstream_task_lost" },
  });
});

test("errors never fail a task, and the next poll waits longer each time, or as long as the vendor says", () => {
  expect(judge(task, silent, look(60))).toMatchObject({ event: null, waitMs: 15_000, pollErrors: 1 });
  expect(judge({ ...task, pollErrors: 2 }, silent, look(60))).toMatchObject({ waitMs: 60_000 });
  expect(judge({ ...task, pollErrors: 50 }, silent, look(60))).toMatchObject({ waitMs: 60_000 });
  expect(judge(task, { ...silent, retryAfterMs: 100_000 }, look(60))).toMatchObject({ waitMs: 100_000 });
  expect(judge({ ...task, pollErrors: 3 }, running, look(60))).toMatchObject({ pollErrors: 0 });
});

test("the last poll is at the deadline, and never within the debounce", () => {
  expect(judge(task, { ...silent, retryAfterMs: 300_000 }, look(560))).toMatchObject({ waitMs: 40_000 });
  expect(judge(task, running, look(595))).toMatchObject({ waitMs: 15_000 });
});

test("at the deadline an unfinished task times out, and a finished one is delivered", () => {
  expect(judge(task, running, look(600))).toMatchObject({ event: { kind: "timedOut" } });
  expect(judge(task, silent, look(601))).toMatchObject({ event: { kind: "timedOut" } });
  const done: Polled = { kind: "completed", url: "u", isServed: false };
  expect(judge(task, done, look(601))).toMatchObject({ event: { kind: "completed" } });
});

test("progress never falls, is the vendor's if it reports any, and is 100 only at the end", () => {
  const reporting = (progress: number): Polled => ({ ...running, progress }) as Polled;
  expect(judge({ ...task, progress: 40 }, reporting(10), look(30))).toMatchObject({ progress: 40 });
  expect(judge(task, reporting(62.5), look(30))).toMatchObject({ progress: 62 });
  expect(judge(task, reporting(100), look(30))).toMatchObject({ progress: 99 });
  let before = -1;
  for (let seconds = 0; seconds < 600; seconds += 15) {
    const verdict = judge(task, running, look(seconds));
    const progress = verdict.event === null ? verdict.progress : -1;
    expect(progress).toBeGreaterThanOrEqual(before);
    before = progress;
  }
});
