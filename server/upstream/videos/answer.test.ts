import { expect, test } from "vitest";
import {
  accepted,
  answered,
  lost,
  refused,
  silent,
  transient,
  unknown,
  unsent,
} from "@/tests/support/video-answers";
import { readCancelled, readPolled, readSubmitted, type VendorAnswer } from "./answer";
import { readDashscopeRef } from "./dashscope-task";

const submit = (answer: VendorAnswer) => readSubmitted(answer, readDashscopeRef);
const dashscope = (code: string, message = "words") => ({ code, message, request_id: "r" });
const task = (task_id: string) => ({ output: { task_id, task_status: "PENDING" } });
const error = (code: string | null, more: object = {}) => ({ error: { code, message: "no", ...more } });
const seconds = error(null, { type: "invalid_request_error", message: "seconds" });

test.each<[number, unknown, object]>([
  ...["t-1", "a/../b", "x".repeat(512), '{"taskId":"t"}'].map((ref): [number, unknown, object] => [
    ...([200, task(ref)] as const),
    accepted(ref),
  ]),
  // A task with an unusable name may exist all the same.
  ...[".", "..", "a b", "a\nb", "é", "x".repeat(513)].map((ref): [number, unknown, object] => [
    ...([200, task(ref)] as const),
    unknown(),
  ]),
  // So may the task of a good answer that does not name it, or that may be the vendor's own JSON.
  [200, null, unknown()],
  [200, "ok", unknown()],
  [200, {}, unknown()],
  [202, "", unknown()],
  [200, '{"error":"not found"}', unknown()],
  [200, '[{"status":404}', unknown()],
  [200, '"404"', unknown()],
  [200, 'data: {"message":"404 not found"}', unknown()],
  ...[502, 504, 520, 524].map((status): [number, unknown, object] => [
    ...([status, dashscope("InternalError")] as const),
    unknown(),
  ]),
  // Status 500 is a refusal only with the vendor's error code.
  [500, dashscope("InternalError"), refused("channel", "upstream_error")],
  [500, "<html>oops</html>", unknown()],
  [500, null, unknown()],
  [500, dashscope("InternalError.Timeout"), unknown()],
  // These send the task to another channel.
  [400, dashscope("Arrearage"), refused("channel", "upstream_error")],
  [400, dashscope("Throttling.RateQuota"), refused("channel", "upstream_capacity")],
  [401, dashscope("InvalidApiKey"), refused("channel", "upstream_error")],
  [403, dashscope("AccessDenied"), refused("channel", "upstream_error")],
  [404, dashscope("ModelNotFound"), refused("channel", "upstream_error")],
  [429, dashscope("Throttling.AllocationQuota"), refused("channel", "upstream_capacity")],
  [503, dashscope("ServiceUnavailable"), refused("channel", "upstream_capacity")],
  // Here the client is at fault, in the vendor's words.
  [400, dashscope("InvalidParameter", "bad size"), refused("request", "invalid_request", "bad size")],
  [400, dashscope("DataInspectionFailed", "no"), refused("request", "content_policy", "no")],
  [400, error("InputTextSensitiveContentDetected"), refused("request", "content_policy", "no")],
  [403, error("moderation_blocked"), refused("request", "content_policy", "no")],
  [422, seconds, refused("request", "invalid_request", "seconds")],
  [413, "<html>", refused("request", "invalid_request", "上游未说明原因")],
])("a submission that is answered with %i %j is %j", (status, body, read) => {
  expect(submit(answered(status, body))).toEqual(read);
});

test.each([
  "<html>",
  "\n<!DOCTYPE html><title>Welcome</title>",
  "<?xml version='1.0'?>",
  "<!-- generated --><html>",
  `${" \n ".repeat(3)}<title>Welcome</title>`,
  "404 page not found\n",
  "Not Found",
  "default backend - 404",
  "Cannot POST /v1/videos",
])("a web page such as %j is not the vendor's answer, and no task was made", (page) => {
  expect(submit(answered(200, page))).toEqual(refused("channel", "upstream_malformed"));
  expect(submit(answered(404, page))).toMatchObject({ kind: "refused", fault: "channel" });
});

test.each([301, 401, 402, 403, 404, 408, 429, 503, 529])(
  "status %i without a body counts against the channel",
  (status) => {
    expect(submit(answered(status))).toMatchObject({ kind: "refused", fault: "channel" });
  },
);

test("a submission without an answer may have made a task, unless nothing was sent", () => {
  expect(submit(silent)).toEqual(unknown("reset"));
  expect(submit(unsent)).toMatchObject({ kind: "refused", fault: "channel" });
});

test("a poll finds a task lost if the vendor does not know it, and is inconclusive after any other error", () => {
  const done = () => ({ kind: "cancelled" }) as const;
  expect(readPolled(answered(404), done)).toEqual(lost);
  for (const status of [400, 401, 403, 429, 500, 502, 503, 504]) {
    expect(readPolled(answered(status, "", 7_000), done)).toEqual(transient(undefined, 7_000));
  }
  expect(readPolled(answered(200, "{"), () => null)).toEqual(transient());
  expect([silent, unsent].map((answer) => readPolled(answer, done))).toEqual([transient(), transient()]);
});

test("a task counts as cancelled only if the vendor says so", () => {
  expect(readCancelled(answered(200))).toBe("cancelled");
  expect(readCancelled(answered(400, dashscope("UnsupportedOperation")))).toBe("too_late");
  for (const status of [401, 404, 429, 500]) {
    expect(readCancelled(answered(status))).toBe("unknown");
  }
  expect(readCancelled(silent)).toBe("unknown");
});
