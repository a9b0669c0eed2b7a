import { describe, expect, test } from "vitest";
import { describeErrorBody, readGoogleDetails, readUpstreamError } from "./upstream-error";

describe("an error is recognised in whatever form its vendor writes it", () => {
  const cases: [unknown, { message: string; status: number | null }][] = [
    [{ error: { message: "too long", code: 400 } }, { message: "too long", status: 400 }],
    [{ error: "overloaded" }, { message: "overloaded", status: null }],
    [
      { object: "error", message: "no such model", code: 404 },
      { message: "no such model", status: 404 },
    ],
    [
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      { message: "Overloaded", status: 529 },
    ],
    [{ detail: "Internal error" }, { message: "Internal error", status: null }],
    [
      { code: 429, message: "slow down" },
      { message: "slow down", status: 429 },
    ],
    [
      { error_code: 500, error_msg: "failed" },
      { message: "failed", status: 500 },
    ],
    [
      { base_resp: { status_code: 1008, status_msg: "insufficient balance" }, choices: null },
      { message: "insufficient balance", status: null },
    ],
    [
      { type: "server_error", message: "overloaded", code: 503 },
      { message: "overloaded", status: 503 },
    ],
    [
      { code: 500, msg: "failed", data: {} },
      { message: "failed", status: 500 },
    ],
    [{ message: "the stream broke" }, { message: "the stream broke", status: null }],
  ];
  test.each(cases)("%j", (body, words) => {
    expect(readUpstreamError(body)).toEqual(words);
  });
});

test("words beside an answer are no error", () => {
  for (const body of [
    { choices: [], message: "ok" },
    { code: 0, message: "success", data: [] },
    { usage: { prompt_tokens: 1 }, detail: "cached" },
    { choices: [{}], base_resp: { status_code: 0, status_msg: "" } },
    { type: "ping", message: "alive" },
    { error: null, choices: [] },
    { id: "chatcmpl-1", object: "chat.completion.chunk" },
    [],
    "text",
  ]) {
    expect(readUpstreamError(body)).toBeNull();
  }
});

test("an error body that is no JSON is its text; one without words is itself", () => {
  expect(describeErrorBody(" <html>bad gateway</html> ")).toBe("<html>bad gateway</html>");
  expect(describeErrorBody('{"reason":7}')).toBe('{"reason":7}');
  expect(describeErrorBody('{"message":"no"}')).toBe("no");
});

describe("what Google says of an error beside its words", () => {
  const body = (error: object) => JSON.stringify({ error: { code: 400, message: "no", ...error } });

  test.each([
    [body({ details: [{ reason: "API_KEY_INVALID" }] }), { isOfCredential: true, retryAfterMs: null }],
    [`[${body({ details: [{ reason: "API_KEY_INVALID" }] })}]`, { isOfCredential: true, retryAfterMs: null }],
    // What a client's words could bring about is none.
    [body({ message: "API_KEY_INVALID" }), { isOfCredential: false, retryAfterMs: null }],
    [
      body({ message: "User location is not supported for the API use.", status: "FAILED_PRECONDITION" }),
      { isOfCredential: true, retryAfterMs: null },
    ],
    [
      body({ details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" }] }),
      { isOfCredential: false, retryAfterMs: 3_500 },
    ],
    [body({ details: [{ retryDelay: "86400s" }] }), { isOfCredential: false, retryAfterMs: 300_000 }],
  ])("%s", (text, expected) => {
    expect(readGoogleDetails(text)).toEqual(expected);
  });

  test.each([
    "",
    "<html>",
    "[]",
    "null",
    '{"error":"no"}',
    '{"error":{"details":"no"}}',
    '{"error":{"details":[1]}}',
  ])("is nothing in %j", (text) => {
    expect(readGoogleDetails(text)).toEqual({ isOfCredential: false, retryAfterMs: null });
  });

  test("its list of one error is that error", () => {
    expect(readUpstreamError([{ error: { code: 429, message: "slow" } }])).toEqual({
      message: "slow",
      status: 429,
    });
  });
});
