import { describe, expect, test } from "vitest";
import type { Answer } from "./answer";
import type { VideoSpec } from "./video-upstream";
import { readXaiPolled, readXaiSubmitted, refuseForXai, toXaiBody } from "./xai-task";

const spec: VideoSpec = {
  model: "grok-imagine-video",
  prompt: "a cat",
  durationSeconds: 10,
  resolution: "720p",
  aspectRatio: null,
};

const answered = (status: number, body: unknown): Answer => ({
  kind: "answered",
  status,
  text: typeof body === "string" ? body : JSON.stringify(body),
  retryAfterMs: null,
});

test("a submission says all that was quoted, for the vendor's own defaults are others", () => {
  expect(toXaiBody(spec)).toEqual({
    model: "grok-imagine-video",
    prompt: "a cat",
    duration: 10,
    aspect_ratio: "16:9",
    resolution: "720p",
  });
  expect(toXaiBody({ ...spec, aspectRatio: "3:4" }).aspect_ratio).toBe("3:4");
});

test("what a model cannot make is refused; of one that is not known, the vendor tells", () => {
  expect(refuseForXai({ ...spec, durationSeconds: 15 })).toBeNull();
  expect(refuseForXai({ ...spec, durationSeconds: 16 })?.en).toContain("duration 16");
  expect(refuseForXai({ ...spec, resolution: "1080p" })?.en).toContain("480p, 720p");
  for (const model of ["grok-imagine-video-1.5", "grok-imagine-video-1.5-lite", "grok-next"]) {
    expect(refuseForXai({ ...spec, model, resolution: "1080p" })).toBeNull();
  }
});

describe("a submission", () => {
  test("is a request, which has an identifier", () => {
    expect(readXaiSubmitted(answered(200, { request_id: "r-1" }))).toEqual({ kind: "accepted", ref: "r-1" });
    for (const body of [{}, { request_id: "r", code: 0, data: {} }, { request_id: "r", output: {} }]) {
      expect(readXaiSubmitted(answered(200, body))).toMatchObject({ kind: "unknown" });
    }
  });

  test.each([
    [{ code: "Client specified an invalid argument", error: "Prompt rejected by content moderation." }],
    [{ code: "imagine:content-moderated", error: "no" }],
    [{ error: { code: "x", message: "moderated" } }],
  ])("that moderation refuses is the client's: %j", (body) => {
    for (const status of [400, 403]) {
      expect(readXaiSubmitted(answered(status, body))).toMatchObject({
        kind: "refused",
        fault: "request",
        code: "content_policy",
      });
    }
  });

  test.each([
    [
      400,
      { code: "Client specified an invalid argument", error: "bad duration" },
      "request",
      "invalid_request",
    ],
    [401, { error: "no key" }, "channel", "upstream_error"],
    [403, { code: "permission", error: "no credits" }, "channel", "upstream_error"],
    [429, { error: "slow down" }, "channel", "upstream_capacity"],
  ])("refused with %d %j", (...[status, body, fault, code]) => {
    expect(readXaiSubmitted(answered(status, body))).toMatchObject({ kind: "refused", fault, code });
  });
});

describe("a request's state", () => {
  const poll = (body: unknown, status = 200) => readXaiPolled(answered(status, body), "r-1");
  const waiting = { kind: "processing", progress: null, isQueued: false };

  test("an empty 202 is work, and ends nothing (vercel/ai#17308)", () => {
    expect(poll("", 202)).toEqual(waiting);
    expect(poll("{", 202)).toEqual(waiting);
    expect(poll({ status: "done", video: { url: "https://vidgen.test/v.mp4" } }, 202)).toEqual(waiting);
    expect(poll({ status: "pending", progress: 24 }, 202)).toEqual({ ...waiting, progress: 24 });
    expect(poll("")).toMatchObject({ kind: "transient" });
  });

  test("pending is work, with a share or without (openclaw#82610)", () => {
    expect(poll({ status: "pending", progress: 81 })).toEqual({ ...waiting, progress: 81 });
    expect(poll({ status: "pending", progress: 140 })).toEqual({ ...waiting, progress: 100 });
    expect(poll({ status: "pending", progress: "half" })).toEqual(waiting);
    expect(poll({ status: "rendering" })).toEqual(waiting);
  });

  test("done is a file's address, an empty result, or a film that moderation withholds (vercel/ai#13390)", () => {
    const url = "https://vidgen.test/v.mp4";
    const done = { kind: "completed", url, isServed: false };
    expect(poll({ status: "done", video: { url, respect_moderation: true } })).toEqual(done);
    expect(poll({ video: { url } })).toEqual(done);
    expect(poll({ status: "done" })).toEqual({ ...done, url: null });
    expect(poll({ status: "done", video: { url: "file:///etc/passwd" } })).toEqual({ ...done, url: null });
    expect(poll({ status: "done", video: { url: "", respect_moderation: false } })).toMatchObject({
      kind: "failed",
      code: "content_policy",
    });
  });

  test("failed and expired say why", () => {
    expect(poll({ status: "failed", error: { code: "internal_error", message: "no" } })).toEqual({
      kind: "failed",
      code: "upstream_error",
      message: "no",
    });
    expect(poll({ status: "failed", error: "Content policy violation" })).toMatchObject({
      code: "content_policy",
    });
    expect(poll({ status: "failed", error: null })).toMatchObject({ code: "upstream_error" });
    expect(poll({ status: "expired" })).toMatchObject({ kind: "failed", code: "upstream_expired" });
  });

  test("moderation at the end is a 400, which ends the task (llmgateway#3704)", () => {
    const body = {
      code: "imagine:content-moderated",
      error: "Generated video rejected by content moderation.",
    };
    expect(poll(body, 400)).toEqual({
      kind: "failed",
      code: "content_policy",
      message: "Generated video rejected by content moderation.",
    });
    expect(poll({ error: "moderation is down" }, 503)).toMatchObject({ kind: "transient" });
    expect(poll({ error: "bad gateway" }, 400)).toMatchObject({ kind: "transient" });
  });

  test("what is unknown is lost, and what is about another request says nothing", () => {
    expect(poll({ error: "no such request" }, 404)).toEqual({ kind: "lost" });
    expect(poll({ request_id: "r-2", status: "done" })).toMatchObject({ kind: "transient" });
    expect(poll({ id: "r-2", status: "done" })).toMatchObject({ kind: "transient" });
    expect(readXaiPolled({ kind: "silent", message: "reset" }, "r-1")).toMatchObject({ kind: "transient" });
  });
});
