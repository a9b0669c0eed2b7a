import { describe, expect, test } from "vitest";
import { type Answer, readCancelled, readPolled, readSubmitted } from "./answer";
import { readDashscopeRef } from "./dashscope-task";

const answered = (status: number, body: unknown = null, retryAfterMs: number | null = null): Answer => ({
  kind: "answered",
  status,
  retryAfterMs,
  text: typeof body === "string" || body === null ? body : JSON.stringify(body),
});
const submit = (answer: Answer) => readSubmitted(answer, readDashscopeRef);
const dashscope = (code: string, message = "words") => ({ code, message, request_id: "r" });

describe("a submission's answer", () => {
  test("with a task is accepted under the vendor's name for it", () => {
    const answer = answered(200, { output: { task_id: "t-1", task_status: "PENDING" } });
    expect(submit(answer)).toEqual({ kind: "accepted", ref: "t-1" });
  });

  test.each([".", "..", "a b", "a\nb", "é", "x".repeat(513)])(
    "with a task that nobody can ask for, %j, may have made one",
    (ref) => {
      expect(submit(answered(200, { output: { task_id: ref } }))).toMatchObject({ kind: "unknown" });
    },
  );

  test.each(["a/../b", "x".repeat(512), '{"taskId":"t"}'])("with the task %j is accepted", (ref) => {
    expect(submit(answered(200, { output: { task_id: ref } }))).toEqual({ kind: "accepted", ref });
  });

  test.each([
    ["nothing", answered(200)],
    ["no JSON", answered(200, "ok")],
    ["JSON without a task", answered(200, {})],
    ["202 and nothing", answered(202, "")],
  ])("that is good but says %s may have made a task", (_what, answer) => {
    expect(submit(answer)).toMatchObject({ kind: "unknown" });
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
  ])("that is a page such as %j is not the vendor's: nothing was made", (page) => {
    expect(submit(answered(200, page))).toMatchObject({
      kind: "refused",
      fault: "channel",
      code: "upstream_malformed",
    });
    expect(submit(answered(404, page))).toMatchObject({ kind: "refused", fault: "channel" });
  });

  test.each(['{"error":"not found"}', '[{"status":404}', '"404"', 'data: {"message":"404 not found"}'])(
    "that may be the vendor's own JSON, as %j, may have made a task whatever it says",
    (text) => {
      expect(submit(answered(200, text))).toMatchObject({ kind: "unknown" });
    },
  );

  test.each([502, 504, 520, 524])("of status %i may have made a task", (status) => {
    expect(submit(answered(status, dashscope("InternalError")))).toMatchObject({ kind: "unknown" });
  });

  test("of status 500 is a refusal in the vendor's words only", () => {
    expect(submit(answered(500, dashscope("InternalError")))).toMatchObject({
      kind: "refused",
      fault: "channel",
    });
    expect(submit(answered(500, "<html>oops</html>"))).toMatchObject({ kind: "unknown" });
    expect(submit(answered(500))).toMatchObject({ kind: "unknown" });
    expect(submit(answered(500, dashscope("InternalError.Timeout")))).toMatchObject({ kind: "unknown" });
  });

  test.each([301, 401, 402, 403, 404, 408, 429, 503, 529])("of status %i is the channel's", (status) => {
    expect(submit(answered(status))).toMatchObject({ kind: "refused", fault: "channel" });
  });

  test.each([
    [400, "Arrearage", "upstream_error"],
    [400, "Throttling.RateQuota", "upstream_capacity"],
    [401, "InvalidApiKey", "upstream_error"],
    [403, "AccessDenied", "upstream_error"],
    [404, "ModelNotFound", "upstream_error"],
    [429, "Throttling.AllocationQuota", "upstream_capacity"],
    [503, "ServiceUnavailable", "upstream_capacity"],
  ])("%i %s sends the task to another channel", (status, code, ours) => {
    const refused = submit(answered(status, dashscope(code)));
    expect(refused).toMatchObject({ kind: "refused", fault: "channel", code: ours });
  });

  test.each([
    [400, dashscope("InvalidParameter", "bad size"), "invalid_request", "bad size"],
    [400, dashscope("DataInspectionFailed", "no"), "content_policy", "no"],
    [400, { error: { code: "InputTextSensitiveContentDetected", message: "no" } }, "content_policy", "no"],
    [403, { error: { code: "moderation_blocked", message: "no" } }, "content_policy", "no"],
    [
      422,
      { error: { type: "invalid_request_error", code: null, message: "seconds" } },
      "invalid_request",
      "seconds",
    ],
    [413, "<html>", "invalid_request", "上游未说明原因"],
  ])("%i %j is the client's, in the vendor's words", (...[status, body, code, message]) => {
    expect(submit(answered(status, body))).toEqual({ kind: "refused", fault: "request", code, message });
  });

  test("that never came may have made a task, unless nothing was sent", () => {
    expect(submit({ kind: "silent", message: "reset" })).toEqual({ kind: "unknown", message: "reset" });
    expect(submit({ kind: "unsent", message: "refused" })).toMatchObject({
      kind: "refused",
      fault: "channel",
    });
  });
});

describe("a look at a task", () => {
  const done = () => ({ kind: "cancelled" }) as const;

  test("finds it lost when the vendor has none", () => {
    expect(readPolled(answered(404), done)).toEqual({ kind: "lost" });
  });

  test.each([400, 401, 403, 429, 500, 502, 503, 504])("that meets %i says nothing about it", (status) => {
    expect(readPolled(answered(status, "", 7_000), done)).toMatchObject({
      kind: "transient",
      retryAfterMs: 7_000,
    });
  });

  test("that cannot be read, or meets silence, says nothing about it", () => {
    expect(readPolled(answered(200, "{"), () => null)).toMatchObject({ kind: "transient" });
    expect(readPolled({ kind: "silent", message: "reset" }, done)).toMatchObject({ kind: "transient" });
    expect(readPolled({ kind: "unsent", message: "refused" }, done)).toMatchObject({ kind: "transient" });
  });
});

test("a task is cancelled only where the vendor says so", () => {
  expect(readCancelled(answered(200))).toBe("cancelled");
  expect(readCancelled(answered(400, dashscope("UnsupportedOperation")))).toBe("too_late");
  for (const status of [401, 404, 429, 500]) {
    expect(readCancelled(answered(status))).toBe("unknown");
  }
  expect(readCancelled({ kind: "silent", message: "reset" })).toBe("unknown");
});
