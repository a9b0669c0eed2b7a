import { describe, expect, test } from "vitest";
import { readOpenaiPoll, refuseForOpenai, toOpenaiBody } from "./openai-videos-task";
import type { VideoSpec } from "./video-upstream";

const spec: VideoSpec = {
  model: "wan",
  prompt: "a cat",
  durationSeconds: 5,
  resolution: "720p",
  aspectRatio: null,
};

test.each([
  ["720p", null, "1280x720"],
  ["720p", "9:16", "720x1280"],
  ["1080p", "16:9", "1920x1080"],
  ["1080p", "9:16", "1080x1920"],
] as const)("%s %s is %s, and seconds are text", (resolution, aspectRatio, size) => {
  const body = toOpenaiBody({ ...spec, resolution, aspectRatio });
  expect(body).toEqual({ model: "wan", prompt: "a cat", seconds: "5", size });
});

test("what the shape has no size for is refused", () => {
  for (const aspectRatio of ["1:1", "4:3", "3:4"] as const) {
    expect(refuseForOpenai({ ...spec, aspectRatio })?.en).toContain("aspect_ratio");
  }
  expect(refuseForOpenai({ ...spec, resolution: "480p" })?.en).toContain("resolution");
  expect(refuseForOpenai(spec)).toBeNull();
});

describe("a video object", () => {
  const own = { ref: "v", channel: { origin: "https://own.test", secret: "sk-of-the-channel" } };
  const poll = (body: object) => readOpenaiPoll(JSON.stringify({ id: "v", ...body }), own);

  test("an address that holds the channel's key is nobody else's to see: the file is served here", () => {
    for (const key of ["sk-of-the-channel", encodeURIComponent("sk-of-the-channel").replaceAll("-", "%2D")]) {
      const url = `https://cdn.test/v.mp4?key=${key}`;
      expect(poll({ status: "completed", url })).toMatchObject({ kind: "completed", url: null });
    }
    const url = "https://cdn.test/v.mp4?key=another";
    expect(poll({ status: "completed", url })).toMatchObject({ kind: "completed", url });
  });

  const url = "https://cdn.test/v.mp4";

  test.each([
    { url },
    { video_url: url },
    { data: { url } },
    { metadata: { url } },
    { result_url: url },
    { url: "", data: [], video_url: url },
  ])("%j has the file's address", (place) => {
    expect(poll({ status: "completed", ...place })).toEqual({ kind: "completed", url, isServed: false });
  });

  test.each([
    {},
    { url: "/v1/videos/v/content" },
    { url: "https://own.test/v1/videos/v/content" },
    { url: "file:///etc/passwd" },
    { url: "https://user:secret@cdn.test/v.mp4" },
    { url: 7 },
  ])("%j leaves the file to content", (place) => {
    expect(poll({ status: "completed", ...place })).toEqual({
      kind: "completed",
      url: null,
      isServed: false,
    });
  });

  test("tells its progress and its failure", () => {
    expect(poll({ status: "in_progress", progress: 42.5 })).toEqual({
      kind: "processing",
      progress: 42.5,
      isQueued: false,
    });
    expect(poll({ status: "queued", progress: "half" })).toEqual({
      kind: "processing",
      progress: null,
      isQueued: true,
    });
    const error = { code: "moderation_blocked", message: "no" };
    expect(poll({ status: "failed", error })).toEqual({
      kind: "failed",
      code: "content_policy",
      message: "no",
    });
    expect(poll({ status: "failed", error: null })).toMatchObject({ code: "upstream_error" });
    expect(poll({ status: "unknown" })).toMatchObject({ kind: "processing" });
    expect(poll({ id: "other", status: "completed" })).toBeNull();
  });
});
