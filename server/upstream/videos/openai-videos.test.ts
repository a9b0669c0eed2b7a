import { expect, test } from "vitest";
import { completed, failed, queued, specOf, working } from "@/tests/support/video-answers";
import { readOpenaiPoll, refuseForOpenai, toOpenaiBody } from "./openai-videos-task";

const spec = specOf({ model: "wan", durationSeconds: 5, resolution: "720p" });

test.each([
  ["720p", null, "1280x720"],
  ["720p", "9:16", "720x1280"],
  ["1080p", "16:9", "1920x1080"],
  ["1080p", "9:16", "1080x1920"],
] as const)("%s %s becomes the size %s, and seconds become text", (resolution, aspectRatio, size) => {
  const body = toOpenaiBody({ ...spec, resolution, aspectRatio });
  expect(body).toEqual({ model: "wan", prompt: "a cat", seconds: "5", size });
});

test("a video whose size OpenAI's form does not have is refused", () => {
  for (const aspectRatio of ["1:1", "4:3", "3:4"] as const) {
    expect(refuseForOpenai({ ...spec, aspectRatio })?.en).toContain("aspect_ratio");
  }
  expect(refuseForOpenai({ ...spec, resolution: "480p" })?.en).toContain("resolution");
  expect(refuseForOpenai(spec)).toBeNull();
});

const secret = "sk-of-the-channel";
const channel = { origin: "https://own.test", secret };
const url = "https://cdn.test/v.mp4";
const done = (place: object) => ({ status: "completed", ...place });
const blocked = { code: "moderation_blocked", message: "no" };

test.each([
  [done({ url }), completed(url)],
  [done({ video_url: url }), completed(url)],
  [done({ data: { url } }), completed(url)],
  [done({ metadata: { url } }), completed(url)],
  [done({ result_url: url }), completed(url)],
  [done({ url: "", data: [], video_url: url }), completed(url)],
  [done({ url: `${url}?key=another` }), completed(`${url}?key=another`)],
  // An address that contains the channel's key must stay private: the gateway serves the file.
  [done({ url: `${url}?key=${secret}` }), completed(null)],
  [done({ url: `${url}?key=${secret.replaceAll("-", "%2D")}` }), completed(null)],
  [done({}), completed(null)],
  [done({ url: "/v1/videos/v/content" }), completed(null)],
  [done({ url: "https://own.test/v1/videos/v/content" }), completed(null)],
  [done({ url: "file:///etc/passwd" }), completed(null)],
  [done({ url: "https://user:secret@cdn.test/v.mp4" }), completed(null)],
  [done({ url: 7 }), completed(null)],
  [{ status: "in_progress", progress: 42.5 }, working(42.5)],
  [{ status: "queued", progress: "half" }, queued],
  [{ status: "failed", error: blocked }, failed("content_policy", "no")],
  [{ status: "failed", error: null }, failed("upstream_error")],
  [{ status: "unknown" }, working()],
  [{ id: "other", status: "completed" }, null],
])("a video object with %j becomes %j", (body, read) => {
  expect(readOpenaiPoll(JSON.stringify({ id: "v", ...body }), { ref: "v", channel })).toEqual(read);
});
