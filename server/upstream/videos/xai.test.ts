import { expect, test } from "vitest";
import {
  accepted,
  answered,
  completed,
  failed,
  lost,
  refused,
  silent,
  specOf,
  transient,
  unknown,
  working,
} from "@/tests/support/video-answers";
import { readXaiPolled, readXaiSubmitted, refuseForXai, toXaiBody } from "./xai-task";

const spec = specOf({ model: "grok-imagine-video", durationSeconds: 10, resolution: "720p" });

test("a submission names every quoted member, because the vendor has other defaults", () => {
  const body = { model: "grok-imagine-video", prompt: "a cat", duration: 10, resolution: "720p" };
  expect(toXaiBody(spec)).toEqual({ ...body, aspect_ratio: "16:9" });
  expect(toXaiBody({ ...spec, aspectRatio: "3:4" }).aspect_ratio).toBe("3:4");
});

test("a video that a known model cannot make is refused, and for an unknown model the vendor decides", () => {
  expect(refuseForXai({ ...spec, durationSeconds: 15 })).toBeNull();
  expect(refuseForXai({ ...spec, durationSeconds: 16 })?.en).toContain("duration 16");
  expect(refuseForXai({ ...spec, resolution: "1080p" })?.en).toContain("480p, 720p");
  for (const model of ["grok-imagine-video-1.5", "grok-imagine-video-1.5-lite", "grok-next"]) {
    expect(refuseForXai({ ...spec, model, resolution: "1080p" })).toBeNull();
  }
});

const rejected = {
  ...{ code: "Client specified an invalid argument", error: "Prompt rejected by content moderation." },
};
const moderated = { code: "imagine:content-moderated", error: "no" };
const badDuration = { code: "Client specified an invalid argument", error: "bad duration" };

test.each([
  [200, { request_id: "r-1" }, accepted("r-1")],
  [200, {}, unknown()],
  [200, { request_id: "r", code: 0, data: {} }, unknown()],
  [200, { request_id: "r", output: {} }, unknown()],
  [400, rejected, refused("request", "content_policy")],
  [403, rejected, refused("request", "content_policy")],
  [400, moderated, refused("request", "content_policy")],
  [403, moderated, refused("request", "content_policy")],
  [400, { error: { code: "x", message: "moderated" } }, refused("request", "content_policy")],
  [403, { error: { code: "x", message: "moderated" } }, refused("request", "content_policy")],
  [400, badDuration, refused("request", "invalid_request")],
  [401, { error: "no key" }, refused("channel", "upstream_error")],
  [403, { code: "permission", error: "no credits" }, refused("channel", "upstream_error")],
  [429, { error: "slow down" }, refused("channel", "upstream_capacity")],
])("a submission that is answered with %d %j is %j", (status, body, read) => {
  expect(readXaiSubmitted(answered(status, body))).toEqual(read);
});

const url = "https://vidgen.test/v.mp4";
const withheld = { status: "done", video: { url: "", respect_moderation: false } };
const atTheEnd = "Generated video rejected by content moderation.";

test.each<[unknown, unknown, number?]>([
  // An empty 202 means running, and ends nothing (vercel/ai#17308).
  ["", working(), 202],
  ["{", working(), 202],
  [{ status: "done", video: { url } }, working(), 202],
  [{ status: "pending", progress: 24 }, working(24), 202],
  ["", transient()],
  // Pending means running, with or without progress (openclaw#82610).
  [{ status: "pending", progress: 81 }, working(81)],
  [{ status: "pending", progress: 140 }, working(100)],
  [{ status: "pending", progress: "half" }, working()],
  [{ status: "rendering" }, working()],
  // Done: a file's address, an empty result, or a video that moderation withholds (vercel/ai#13390).
  [{ status: "done", video: { url, respect_moderation: true } }, completed(url)],
  [{ video: { url } }, completed(url)],
  [{ status: "done" }, completed(null)],
  [{ status: "done", video: { url: "file:///etc/passwd" } }, completed(null)],
  [withheld, failed("content_policy")],
  [{ status: "failed", error: { code: "internal_error", message: "no" } }, failed("upstream_error", "no")],
  [{ status: "failed", error: "Content policy violation" }, failed("content_policy")],
  [{ status: "failed", error: null }, failed("upstream_error")],
  [{ status: "expired" }, failed("upstream_expired")],
  // Moderation at the end is a 400, which ends the task (llmgateway#3704).
  [{ code: "imagine:content-moderated", error: atTheEnd }, failed("content_policy", atTheEnd), 400],
  [{ error: "moderation is down" }, transient(), 503],
  [{ error: "bad gateway" }, transient(), 400],
  // An unknown task is lost; an answer about another request says nothing.
  [{ error: "no such request" }, lost, 404],
  [{ request_id: "r-2", status: "done" }, transient()],
  [{ id: "r-2", status: "done" }, transient()],
])("a request with the state %j becomes %j", (body, read, status = 200) => {
  expect(readXaiPolled(answered(status, body), "r-1")).toEqual(read);
});

test("a request without an answer is polled again", () => {
  expect(readXaiPolled(silent, "r-1")).toEqual(transient());
});
