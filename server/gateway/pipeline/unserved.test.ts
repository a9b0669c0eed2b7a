import { expect, test } from "vitest";
import { whyUnserved } from "./unserved";

test.each([
  ["POST", "/v1/files", "file_data"],
  ["POST", "/upload/v1beta/files", "file_data"],
  ["GET", "/v1/messages/batches/b/results", "one by one"],
  ["POST", "/v1beta/models/m:batchGenerateContent", "one by one"],
  ["POST", "/v1/threads/t/runs", "/v1/responses"],
  ["POST", "/v1/realtime/client_secrets", "/v1/audio"],
  ["POST", "/v1/images/variations", "/v1/images/edits"],
  ["POST", "/v1/complete", "/v1/messages"],
  ["POST", "/v1/fine_tuning/jobs", "vendor"],
  ["POST", "/v1beta/interactions", "generateContent"],
  ["POST", "/v1beta/cachedContents", "cache"],
  ["POST", "/v1beta/models/m:predictLongRunning", "/v1/videos"],
  ["GET", "/v1/chat/completions", "/v1/responses"],
  ["DELETE", "/v1/chat/completions/c", "/v1/responses"],
  ["DELETE", "/v1/models/m", "vendor"],
])("%s %s is not served, and the error names %s", (method, path, hint) => {
  const { zh = "", en = "" } = whyUnserved(method, path) ?? {};
  expect(en).toContain(hint);
  expect([/\p{Script=Han}/u.test(zh), /\p{Script=Han}/u.test(en)]).toEqual([true, false]);
});

test.each([
  ["POST", "/v1/chat/completions"],
  ["PUT", "/v1/chat/completions"],
  ["POST", "/v1/completions"],
  ["POST", "/v1/filesystem"],
  ["GET", "/v1/models/files"],
  ["POST", "/v1beta/models/files:generateContent"],
])("%s %s has no special reason", (method, path) => {
  expect(whyUnserved(method, path)).toBeNull();
});
