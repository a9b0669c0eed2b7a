import { describe, expect, test } from "vitest";
import { aspectRatios, resolutions } from "@/server/domain/enums";
import { completed, failed, lost, queued, specOf, working } from "@/tests/support/video-answers";
import { dashscopeRoot } from "./dashscope";
import { isSamePrompt, isSameVideo, searchWindow } from "./dashscope-search";
import { refuseForDashscope, toDashscopeBody } from "./dashscope-spec";
import { readDashscopePoll } from "./dashscope-task";

const spec = specOf({ model: "wanx2.1-t2v-turbo", durationSeconds: 5, resolution: "720p" });
const modern = { ...spec, model: "wan2.7-t2v" };

test.each(["", "/", "/v1", "/api/v1", "/compatible-mode/v1"])(
  "the base URL with %j leads to the API of the host",
  (end) => {
    const host = "https://dashscope.aliyuncs.com";
    expect(dashscopeRoot(`${host}${end}`)).toBe(`${host}/api/v1`);
  },
);

describe("a video that a model cannot make is refused, and never rounded", () => {
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

describe("a submission names every quoted member", () => {
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
  ] as const)("%s %s is the size %s up to Wan 2.6", (resolution, aspectRatio, size) => {
    expect(toDashscopeBody({ ...spec, resolution, aspectRatio })).toEqual({
      model: spec.model,
      input: { prompt: "a cat" },
      parameters: { size, duration: 5, prompt_extend: true, watermark: false },
    });
  });

  test("Wan 2.7 has resolution and ratio instead of a size", () => {
    const video = { ...modern, durationSeconds: 15 };
    const rest = { resolution: "720P", duration: 15, prompt_extend: true, watermark: false };
    expect(toDashscopeBody({ ...video, aspectRatio: "9:16" }).parameters).toEqual({ ratio: "9:16", ...rest });
    expect(toDashscopeBody(video).parameters).toEqual(rest);
  });
});

const url = "https://oss.test/v.mp4?Expires=1700000000&Signature=x";
const inspected = { task_status: "FAILED", code: "DataInspectionFailed", message: "inappropriate" };

test.each([
  [inspected, failed("content_policy", "inappropriate")],
  [{ task_status: "FAILED" }, failed("upstream_error", "上游生成失败")],
  [{ task_status: "SUCCEEDED", video_url: url }, completed(url)],
  [{ task_status: "SUCCEEDED" }, completed(null)],
  [{ task_status: "UNKNOWN" }, lost],
  // An unknown word means running; another task's record is no answer.
  [{ task_status: "SUSPENDED" }, working()],
  [{ task_status: "PENDING" }, queued],
  [{ task_status: "SUCCEEDED", task_id: "other" }, null],
])("a task with the record %j becomes %j", (output, read) => {
  expect(readDashscopePoll(JSON.stringify({ output: { task_id: "t", ...output } }), "t")).toEqual(read);
});

test("a record that is no JSON is no answer", () => {
  expect(readDashscopePoll("{", "t")).toBeNull();
});

test("the search's window is a day that contains the moment in each of the vendor's zones", () => {
  const { start_time, end_time } = searchWindow(new Date("2026-11-21T00:30:00Z"));
  expect([start_time, end_time]).toEqual(["20261120153000", "20261121152959"]);
});

test("a prompt matches if it is whole, or as the vendor cut it", () => {
  const long = "p".repeat(1_900);
  expect(isSamePrompt("a cat ", "a cat")).toBe(true);
  expect(isSamePrompt(long.slice(0, 800), long)).toBe(true);
  expect(isSamePrompt("a", "a cat")).toBe(false);
  expect(isSamePrompt(null, "a cat")).toBe(false);
});

test.each<[Record<string, unknown>, boolean, typeof spec?]>([
  [{}, true],
  [{ video_duration: 5, SR: 720, size: "1280*720", video_count: 1 }, true],
  [{ duration: 5, SR: "720", video_ratio: "1280*720" }, true],
  [{ output_video_duration: 5.04 }, true],
  [{ video_ratio: "standard", duration: null }, true],
  [{ resolution: "720P", duration: "5" }, true],
  [{ video_duration: 10 }, false],
  [{ duration: "15" }, false],
  [{ size: "1920*1080" }, false],
  [{ size: "720*1280" }, false],
  [{ SR: 1080 }, false],
  [{ resolution: "480P" }, false],
  // This model chooses its size itself.
  [{ size: "1282*722", SR: 720 }, true, modern],
])("a video matches unless the vendor shows another form: %j (%j)", (shown, isOurs, request = spec) => {
  expect(isSameVideo(shown, request)).toBe(isOurs);
});
