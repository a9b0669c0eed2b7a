import { describe, expect, test } from "vitest";
import { aspectRatios, resolutions } from "@/server/base/facts";
import { dashscopeRoot } from "./dashscope";
import { isSamePrompt, isSameVideo, searchWindow } from "./dashscope-search";
import { refuseForDashscope, toDashscopeBody } from "./dashscope-spec";
import { readDashscopePoll } from "./dashscope-task";
import type { VideoSpec } from "./video-upstream";

const spec: VideoSpec = {
  model: "wanx2.1-t2v-turbo",
  prompt: "a cat",
  durationSeconds: 5,
  resolution: "720p",
  aspectRatio: null,
};

test.each([
  "https://dashscope.aliyuncs.com",
  "https://dashscope.aliyuncs.com/",
  "https://dashscope.aliyuncs.com/v1",
  "https://dashscope.aliyuncs.com/api/v1",
  "https://dashscope.aliyuncs.com/compatible-mode/v1",
])("%s is the native API's host", (baseUrl) => {
  expect(dashscopeRoot(baseUrl)).toBe("https://dashscope.aliyuncs.com/api/v1");
});

describe("what a model cannot make is refused, never rounded", () => {
  const possible = (model: string) =>
    resolutions.flatMap((resolution) =>
      [5, 10, 15]
        .filter((durationSeconds) => !refuseForDashscope({ ...spec, model, resolution, durationSeconds }))
        .map((seconds) => `${resolution} ${seconds}`),
    );

  test.each([
    ["wanx2.1-t2v-turbo", ["480p 5", "720p 5"]],
    ["wan2.1-t2v-turbo", ["480p 5", "720p 5"]],
    ["wanx2.1-t2v-plus", ["720p 5"]],
    ["wan2.2-t2v-plus", ["480p 5", "1080p 5"]],
    ["wan2.5-t2v-preview", ["480p 5", "480p 10", "720p 5", "720p 10", "1080p 5", "1080p 10"]],
    ["wan2.6-t2v", ["720p 5", "720p 10", "720p 15", "1080p 5", "1080p 10", "1080p 15"]],
    ["wan2.7-t2v", ["720p 5", "720p 10", "720p 15", "1080p 5", "1080p 10", "1080p 15"]],
  ])("%s makes %j", (model, list) => {
    expect(possible(model)).toEqual(list);
  });

  test("480p has no 4:3 and no 3:4", () => {
    const refused = aspectRatios.filter((aspectRatio) =>
      refuseForDashscope({ ...spec, resolution: "480p", aspectRatio }),
    );
    expect(refused).toEqual(["4:3", "3:4"]);
  });
});

describe("a submission says all that was quoted", () => {
  test.each([
    ["480p", null, "832*480"],
    ["480p", "9:16", "480*832"],
    ["720p", null, "1280*720"],
    ["720p", "9:16", "720*1280"],
    ["720p", "1:1", "960*960"],
    ["720p", "4:3", "1088*832"],
    ["720p", "3:4", "832*1088"],
    ["1080p", "16:9", "1920*1080"],
    ["1080p", "1:1", "1440*1440"],
    ["1080p", "4:3", "1632*1248"],
    ["1080p", "3:4", "1248*1632"],
  ] as const)("%s %s is %s up to Wan 2.6", (resolution, aspectRatio, size) => {
    expect(toDashscopeBody({ ...spec, resolution, aspectRatio })).toEqual({
      model: spec.model,
      input: { prompt: "a cat" },
      parameters: { size, duration: 5, prompt_extend: true, watermark: false },
    });
  });

  test("Wan 2.7 has resolution and ratio instead of a size", () => {
    const modern = { ...spec, model: "wan2.7-t2v", durationSeconds: 15, aspectRatio: "9:16" } as const;
    const rest = { duration: 15, prompt_extend: true, watermark: false };
    expect(toDashscopeBody(modern).parameters).toEqual({ resolution: "720P", ratio: "9:16", ...rest });
    expect(toDashscopeBody({ ...modern, aspectRatio: null }).parameters).toEqual({
      resolution: "720P",
      ...rest,
    });
  });
});

describe("a task's record", () => {
  const poll = (output: object) =>
    readDashscopePoll(JSON.stringify({ output: { task_id: "t", ...output } }), "t");

  test("tells a failure's reason from the output", () => {
    const failed = { task_status: "FAILED", code: "DataInspectionFailed", message: "inappropriate" };
    expect(poll(failed)).toEqual({ kind: "failed", code: "content_policy", message: "inappropriate" });
    expect(poll({ task_status: "FAILED" })).toEqual({
      kind: "failed",
      code: "upstream_error",
      message: "上游生成失败",
    });
  });

  test("completes with an address or without", () => {
    const url = "https://oss.test/v.mp4?Expires=1700000000&Signature=x";
    const completed = { kind: "completed", isServed: false };
    expect(poll({ task_status: "SUCCEEDED", video_url: url })).toEqual({ ...completed, url });
    expect(poll({ task_status: "SUCCEEDED" })).toEqual({ ...completed, url: null });
  });

  test("UNKNOWN is lost, a new word is work, another task's record is no answer", () => {
    expect(poll({ task_status: "UNKNOWN" })).toEqual({ kind: "lost" });
    expect(poll({ task_status: "SUSPENDED" })).toEqual({
      kind: "processing",
      progress: null,
      isQueued: false,
    });
    expect(poll({ task_status: "PENDING" })).toMatchObject({ isQueued: true });
    expect(poll({ task_status: "SUCCEEDED", task_id: "other" })).toBeNull();
    expect(readDashscopePoll("{", "t")).toBeNull();
  });
});

test("the search's window is a day that holds the moment in any of the vendor's zones", () => {
  const { start_time, end_time } = searchWindow(new Date("2026-11-21T00:30:00Z"));
  expect([start_time, end_time]).toEqual(["20261120153000", "20261121152959"]);
});

test("a prompt is ours whole or as the vendor cut it", () => {
  const long = "p".repeat(1_900);
  expect(isSamePrompt("a cat ", "a cat")).toBe(true);
  expect(isSamePrompt(long.slice(0, 800), long)).toBe(true);
  expect(isSamePrompt("a", "a cat")).toBe(false);
  expect(isSamePrompt(null, "a cat")).toBe(false);
});

describe("a video is ours unless the vendor shows another form", () => {
  test.each([
    {},
    { video_duration: 5, SR: 720, size: "1280*720", video_count: 1 },
    { duration: 5, SR: "720", video_ratio: "1280*720" },
    { output_video_duration: 5.04 },
    { video_ratio: "standard", duration: null },
    { resolution: "720P", duration: "5" },
  ])("%j", (shown) => {
    expect(isSameVideo(shown, spec)).toBe(true);
  });

  test.each([
    { video_duration: 10 },
    { duration: "15" },
    { size: "1920*1080" },
    { size: "720*1280" },
    { SR: 1080 },
    { resolution: "480P" },
  ])("%j", (shown) => {
    expect(isSameVideo(shown, spec)).toBe(false);
  });

  test("Wan 2.7 chooses its size itself", () => {
    expect(isSameVideo({ size: "1282*722", SR: 720 }, { ...spec, model: "wan2.7-t2v" })).toBe(true);
  });
});
