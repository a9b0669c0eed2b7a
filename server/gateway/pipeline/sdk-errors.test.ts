import { expect, test } from "vitest";
import { readsSdkErrors } from "./sdk-errors";

test.each<[Parameters<typeof readsSdkErrors>[0], Record<string, string>, boolean]>([
  ["chat.completions", {}, false],
  ["chat.completions", { "user-agent": "curl/8.9" }, false],
  ["messages", { "user-agent": "python-requests/2.33" }, false],
  ["chat.completions", { "x-stainless-lang": "js" }, true],
  ["embeddings", { "x-goog-api-client": "google-genai-sdk/2" }, true],
  ["chat.completions", { "user-agent": "codex_cli_rs/0.169.0 (Debian 12)" }, true],
  ["messages", { "user-agent": "claude-cli/2.1.330 (external, cli)" }, true],
  ["chat.completions", { "user-agent": "opencode/1.18.33 ai-sdk/provider-utils/5" }, true],
  ["videos.submit", { "user-agent": "ai/7.0 runtime/node" }, true],
  ["chat.completions", { "user-agent": "GeminiCLI-a2a/0.61.0 (linux; x64)" }, true],
  ["chat.completions", { "user-agent": "langchain-openai/1.4 (AIDER/1)" }, true],
  ["chat.completions", { "user-agent": "check-ai/2" }, false],
  ["chat.completions", { "user-agent": "goosefs/1" }, false],
  ["chat.completions", { "user-agent": "probe/1 (continue)" }, false],
  ["chat.completions", { "user-agent": "codexes/3 mycursor/1" }, false],
  ["videos.status", {}, false],
  ["videos.content", {}, true],
  ["responses", {}, true],
  ["unknown", { "user-agent": "curl/8.9" }, true],
])("an error of %s for a client with %j has the members that SDKs read: %s", (endpoint, headers, isRead) => {
  expect(readsSdkErrors(endpoint, new Headers(headers))).toBe(isRead);
});
