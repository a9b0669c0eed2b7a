import { describe, expect, test } from "vitest";
import {
  describeErrorBody,
  readChoiceError,
  readErrorNames,
  readGoogleDetails,
  readStatedError,
  readUpstreamError,
} from "./upstream-error";

describe("an error is recognised in any vendor's form", () => {
  test.each<[unknown, string, number | null]>([
    [{ error: { message: "too long", code: 400 } }, "too long", 400],
    [{ error: "overloaded" }, "overloaded", null],
    [{ object: "error", message: "no such model", code: 404 }, "no such model", 404],
    [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "Overloaded", 529],
    [{ detail: "Internal error" }, "Internal error", null],
    [{ code: 429, message: "slow down" }, "slow down", 429],
    [{ error_code: 500, error_msg: "failed" }, "failed", 500],
    [{ base_resp: { status_code: 1008, status_msg: "no balance" }, choices: null }, "no balance", 402],
    [{ type: "server_error", message: "overloaded", code: 503 }, "overloaded", 503],
    [{ code: 500, msg: "failed", data: {} }, "failed", 500],
    [{ message: "the stream broke" }, "the stream broke", null],
    // Instead of a choice's end (OpenRouter).
    [{ choices: [{ delta: {}, error: { message: "broke", code: 502 } }] }, "broke", 502],
    [{ errors: [{ message: "failed" }] }, "failed", null],
    // Codes of vendors' own, beside an empty or an explaining member.
    [{ code: 1001, message: "bad key", data: null }, "bad key", null],
    [{ code: 40001, msg: "no balance", data: "" }, "no balance", null],
    [{ code: -1, msg: "failed", data: [] }, "failed", null],
    [{ code: 1, message: "bad", data: { reason: "x" } }, "bad", null],
    [{ code: "InvalidApiKey", message: "no", output: {}, request_id: "r" }, "no", 401],
    [{ errcode: 40013, errmsg: "no such app" }, "no such app", null],
    [{ errcode: 429, errmsg: "slow down" }, "slow down", 429],
    [{ code: 500, message: "failed", data: { choices: [{}] } }, "failed", 500],
    [{ success: false, message: "OK" }, "OK", null],
    [{ type: "error", message: "broke" }, "broke", null],
    [{ type: "error", error: {} }, '{"type":"error","error":{}}', null],
    // Google's list of one.
    [[{ error: { code: 429, message: "slow" } }], "slow", 429],
  ])("%j", (body, message, status) => {
    expect(readUpstreamError(body)).toEqual({ message, status });
  });
});

test("an error in a choice is read apart from the body's own", () => {
  const body = { choices: [{ delta: {}, error: { message: "broke", code: 502 } }] };
  expect(readStatedError(body)).toBeNull();
  expect(readChoiceError(body.choices[0] ?? {})).toEqual({ message: "broke", status: 502 });
  expect(readChoiceError({ error: {} })).toBeNull();
});

test("a message next to an answer is no error", () => {
  for (const body of [
    { choices: [], message: "ok" },
    { code: 0, message: "success", data: [] },
    { usage: { prompt_tokens: 1 }, detail: "cached" },
    { choices: [{}], base_resp: { status_code: 0, status_msg: "" } },
    { type: "ping", message: "alive" },
    { error: null, choices: [] },
    { error: { code: 200, message: "OK" }, choices: [] },
    { error: "null", choices: [] },
    { code: 200, msg: "ok", candidates: [] },
    { code: 10000, message: "Success", candidates: [{}] },
    { code: 0, message: "success", result: {} },
    { choices: [{ error: { message: "broke" } }, { delta: {} }] },
    { id: "chatcmpl-1", object: "chat.completion.chunk" },
    [],
    "text",
  ]) {
    expect(readUpstreamError(body)).toBeNull();
  }
});

test.each([null, false, 0, "", "ok", {}, [], { code: 0, message: "" }, { code: null, param: [{}] }])(
  "%j as an error says that there is none, alone and in any dialect's answer or event",
  (error) => {
    const bodies = [
      { choices: [] },
      { type: "message_start", message: {} },
      { candidates: [] },
      { output: [] },
    ];
    for (const body of [{}, ...bodies]) {
      expect(readUpstreamError({ ...body, error })).toBeNull();
      expect(readUpstreamError({ ...body, choices: [{ delta: {}, error }] })).toBeNull();
    }
  },
);

test("an error body that is no JSON becomes its text, and one without a message stays as it is", () => {
  expect(describeErrorBody(" <html>bad gateway</html> ")).toBe("<html>bad gateway</html>");
  expect(describeErrorBody('{"reason":7}')).toBe('{"reason":7}');
  expect(describeErrorBody('{"message":"no"}')).toBe("no");
});

describe("the names of a vendor's error are read in full, and no text", () => {
  test.each<[unknown, object | null]>([
    [
      {
        error: {
          ...{ message: "This model's maximum context length is 4097 tokens", type: "invalid_request_error" },
          ...{ code: "context_length_exceeded", param: "messages[0].content" },
        },
      },
      { type: "invalid_request_error", code: "context_length_exceeded", param: "messages[0].content" },
    ],
    [
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { type: "overloaded_error" },
    ],
    [
      { error: { code: 429, message: "slow", status: "RESOURCE_EXHAUSTED" } },
      { type: "RESOURCE_EXHAUSTED", code: "429" },
    ],
    [{ error: { message: "no", code: "the prompt says hello", param: null, type: "x".repeat(121) } }, null],
    [{ errcode: 40013, errmsg: "no such app" }, { code: "40013" }],
    [{ error: "overloaded" }, null],
    [{ choices: [] }, null],
  ])("%j", (body, names) => {
    expect(readErrorNames(JSON.stringify(body))).toEqual(names);
  });
  test("a body that is no JSON has none", () => {
    expect(readErrorNames("<html>type: bad</html>")).toBeNull();
  });
});

describe("the details of Google's errors", () => {
  const body = (error: object) => JSON.stringify({ error: { code: 400, message: "no", ...error } });

  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" };
  const invalidKey = body({ details: [{ reason: "API_KEY_INVALID" }] });
  const elsewhere = "User location is not supported for the API use.";
  test.each<[string, boolean, number | null]>([
    [invalidKey, true, null],
    [`[${invalidKey}]`, true, null],
    // A text that a client could cause does not count.
    [body({ message: "API_KEY_INVALID" }), false, null],
    [body({ message: elsewhere, status: "FAILED_PRECONDITION" }), true, null],
    [body({ details: [retry] }), false, 3_500],
    [body({ details: [{ retryDelay: "86400s" }] }), false, 300_000],
  ])("are read from %s", (text, isOfCredential, retryAfterMs) => {
    expect(readGoogleDetails(text)).toEqual({ isOfCredential, retryAfterMs });
  });

  const errors = ['{"error":"no"}', '{"error":{"details":"no"}}', '{"error":{"details":[1]}}'];
  test.each(["", "<html>", "[]", "null", ...errors])("are empty for %j", (text) => {
    expect(readGoogleDetails(text)).toEqual({ isOfCredential: false, retryAfterMs: null });
  });
});
