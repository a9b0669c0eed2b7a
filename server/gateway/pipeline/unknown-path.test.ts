import { describe, expect, it } from "vitest";
import { rightPath } from "@/server/endpoints";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { isMisplaced } from "./unknown-path";

describe("a wrong base URL", () => {
  it.each([
    ["/chat/completions", "/v1/chat/completions"],
    ["/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/messages/v1/messages", "/v1/messages"],
    ["/v1/chat/completions/chat/completions", "/v1/chat/completions"],
    ["//v1/messages/count_tokens", "/v1/messages/count_tokens"],
    ["/v1/models/v1/responses/", "/v1/responses"],
    ["/openai/v1/embeddings", "/v1/embeddings"],
    ["/v1/v1/models/some-model", "/v1/models/some-model"],
    ["/responses/resp_1a", "/v1/responses/resp_1a"],
    ["/v1/v1/responses/resp_1a/input_items", "/v1/responses/resp_1a/input_items"],
    ["/openai/responses/resp_1a/cancel/", "/v1/responses/resp_1a/cancel"],
    ["/conversations/conv_1a/items/msg_1a", "/v1/conversations/conv_1a/items/msg_1a"],
    ["/v1/v1/videos/task_1a", "/v1/videos/task_1a"],
    ["/videos/task_1a/content", "/v1/videos/task_1a/content"],
    ["/videos/generations/task_1a", "/v1/videos/generations/task_1a"],
    ["/videos", "/v1/videos"],
    ["/openai/videos/generations", "/v1/videos/generations"],
  ])("is recognized in %s by its end", (path, right) => {
    expect(rightPath(path)).toBe(right);
  });

  it.each(["/", "/v1", "/v1/files", "/chat", "/v1/messages/x", "/modelsx", "/v1/responses/x/y", "/videos/x"])(
    "is not found in %s",
    (path) => {
      expect(rightPath(path)).toBeNull();
    },
  );

  it.each([
    ["/models", false, false],
    ["/models", true, true],
    ["/embeddings", false, true],
    ["/videos", false, false],
    ["/videos", true, true],
    ["/videos/generations", false, true],
    ["/videos/task_1a", false, true],
    ["/responses/resp_1a", false, true],
    ["/admin/v1/models", true, false],
    ["/api/trpc/models", true, false],
    ["/settings", true, false],
  ])("%s, with a key: %s, belongs to a program: %s", (path, hasKey, expected) => {
    expect(isMisplaced(path, hasKey)).toBe(expected);
  });

  it("is recognized in less than 200 ms, however long the path is", () => {
    const began = cpuTimeMs();
    rightPath("/models".repeat(10_000));
    rightPath("/responses/resp_a".repeat(10_000));
    rightPath(`/videos/generations/${"a-".repeat(50_000)}/`.repeat(3));
    rightPath("/chat/completions/".repeat(5_000));
    expect(cpuTimeMs() - began).toBeLessThan(200);
  });
});
