import { expect, test } from "vitest";
import { kindOfPath, programOf } from "./missed-paths";

test.each([
  ["/v1/files/file-7hK2mPq0x9", "/v1/files/{id}"],
  ["/v1/threads/42/messages", "/v1/threads/{id}/messages"],
  ["/v1/realtime/sessions", "/v1/realtime/sessions"],
  ["/v1/fine_tuning/jobs", "/v1/fine_tuning/jobs"],
])("%s counts as the path %s", (path, kind) => {
  expect(kindOfPath(path)).toBe(kind);
});

test.each([
  ["codex_cli_rs/0.50.0 (Debian 12; x86_64)", "codex_cli_rs"],
  ["OpenAI/Python 2.1.0", "OpenAI"],
  ["<script>", ""],
  [null, ""],
])("%j is the program %j", (userAgent, program) => {
  expect(programOf(userAgent)).toBe(program);
});
