import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completed, failed, queued, specOf, working } from "@/tests/support/video-answers";
import { arkTasks } from "./ark";
import { refuseForArk, stripCommands, toArkBody } from "./ark-spec";
import { readArkPoll } from "./ark-task";

const spec = specOf({
  ...{ model: "doubao-seedance-1-0-pro-250528", durationSeconds: 10, resolution: "1080p" },
});

test.each(["", "/v1", "/api/v3/"])("the base URL with %j leads to the tasks", (end) => {
  const tasks = "https://ark.cn-beijing.volces.com/api/v3/contents/generations/tasks";
  expect(arkTasks(`https://ark.cn-beijing.volces.com${end}`)).toBe(tasks);
});

describe("a prompt cannot change the quoted video", () => {
  test.each([
    ["a cat --dur 12", "a cat"],
    ["a cat --rs 1080p --ratio 1:1 on a mat", "a cat on a mat"],
    ["--duration=12 a cat", "a cat"],
    ["a cat --camerafixed --seed -1 sleeps", "a cat -1 sleeps"],
    ["a cat ---dur 12", "a cat"],
    ["a cat --DUR 12", "a cat"],
    ["a cat--black and white", "a cat—black and white"],
    ["a cat --unheard 7", "a cat —unheard 7"],
    ["a during --durable cat", "a during —durable cat"],
  ])("%s", (prompt, stripped) => {
    expect(stripCommands(prompt)).toBe(stripped);
  });

  test("with any text", () => {
    const pieces = fc.array(fc.constantFrom("-", "--", "dur", " ", "10", "rs", "=", "a cat", "\n"));
    fc.assert(fc.property(pieces, (list) => !stripCommands(list.join("")).includes("--")));
  });
});

test("a submission names every quoted member", () => {
  expect(toArkBody(spec)).toEqual({
    model: spec.model,
    content: [{ type: "text", text: "a cat" }],
    resolution: "1080p",
    ratio: "16:9",
    duration: 10,
    watermark: false,
  });
  expect(toArkBody({ ...spec, aspectRatio: "3:4" }).ratio).toBe("3:4");
});

test("a video that the model cannot make is refused", () => {
  expect(refuseForArk(spec)).toBeNull();
  expect(refuseForArk({ ...spec, durationSeconds: 15 })?.en).toContain("duration");
  expect(refuseForArk({ ...spec, model: "doubao-seedance-2-0-260128" })?.en).toContain("resolution");
  expect(refuseForArk({ ...spec, model: "ep-20260101-x", durationSeconds: 15 })).toBeNull();
});

const url = "https://tos.test/v.mp4?X-Tos-Date=20261121T061500Z&X-Tos-Expires=86400";
const sensitive = { code: "OutputVideoSensitiveContentDetected", message: "no" };

test.each([
  [{ status: "queued" }, queued],
  [{ status: "running" }, working()],
  [{ status: "cancelled" }, { kind: "cancelled" }],
  [{ status: "expired" }, failed("upstream_expired")],
  [{ status: "failed", error: sensitive }, failed("content_policy", "no")],
  [{ status: "succeeded", content: { video_url: url } }, completed(url)],
  [{ status: "succeeded", content: {} }, completed(null)],
])("a task with the record %j becomes %j", (body, read) => {
  expect(readArkPoll(JSON.stringify({ id: "cgt-1", ...body }), "cgt-1")).toEqual(read);
});
