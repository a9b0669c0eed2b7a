import { expect, test } from "vitest";
import { vendors } from "../vendors";
import { normaliseBaseUrl } from "./base-url";

test.each([
  ["https://api.example.com", "https://api.example.com/v1"],
  ["https://api.example.com/", "https://api.example.com"],
  ["https://api.example.com/api/paas/v4/", "https://api.example.com/api/paas/v4"],
  ["http://localhost:8000/openai", "http://localhost:8000/openai"],
])("an OpenAI-dialect base URL %s is stored as %s", (url, stored) => {
  expect(normaliseBaseUrl(url, "openai")).toBe(stored);
});

test.each([
  ["https://api.anthropic.com", "https://api.anthropic.com/v1"],
  ["https://api.anthropic.com/", "https://api.anthropic.com/v1"],
  ["https://api.anthropic.com/v1/", "https://api.anthropic.com/v1"],
  ["https://v1.example.com", "https://v1.example.com/v1"],
  ["https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1"],
])("an Anthropic-dialect base URL %s is stored as %s", (url, stored) => {
  expect(normaliseBaseUrl(url, "anthropic")).toBe(stored);
});

test.each([
  ["https://dashscope.aliyuncs.com", "dashscope", "https://dashscope.aliyuncs.com"],
  ["https://dashscope.aliyuncs.com/", "dashscope", "https://dashscope.aliyuncs.com"],
  ["https://ark.cn-beijing.volces.com/api/v3", "ark", "https://ark.cn-beijing.volces.com/api/v3"],
  ["http://10.0.0.7:9000", "openai-responses", "http://10.0.0.7:9000/v1"],
  ["https://api.example.com/openai/v1/", "openai-responses", "https://api.example.com/openai/v1"],
  ["http://10.0.0.7:9000", "openai-video", "http://10.0.0.7:9000/v1"],
  ["http://10.0.0.7:9000/", "openai-video", "http://10.0.0.7:9000"],
  ["https://api.x.ai", "xai-video", "https://api.x.ai/v1"],
  ["https://api-singapore.klingai.com", "kling", "https://api-singapore.klingai.com"],
] as const)("a base URL %s of the dialect %s is stored as %s", (url, dialect, stored) => {
  expect(normaliseBaseUrl(url, dialect)).toBe(stored);
});

test("storing a stored base URL again does not change it, and every preset's base URL can be stored", () => {
  for (const { baseUrl, dialect } of vendors.filter((vendor) => vendor.baseUrl !== null)) {
    const stored = normaliseBaseUrl(baseUrl ?? "", dialect);
    expect(stored).not.toMatch(/\/$/);
    const path = new URL(stored).pathname;
    // Storing twice changes only a URL without a path: DeepSeek's and Perplexity's.
    expect(normaliseBaseUrl(path === "/" ? `${stored}/` : stored, dialect)).toBe(stored);
  }
});

test.each(["ftp://x/v1", "not a url", "https://user:secret@x/v1", "https://x/v1?key=1", "https://x/v1#a"])(
  "%s is refused",
  (url) => {
    expect(() => normaliseBaseUrl(url, "anthropic")).toThrow(url);
  },
);
