import { expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { parseChatRequest } from "./chat/request";
import { parseEmbeddingsRequest } from "./embeddings/request";
import { readJsonText } from "./json/text";
import { parseCountRequest } from "./messages/count-request";
import { parseMessagesRequest } from "./messages/request";

/** As many elements as a body may have. */
const list = `[${"0,".repeat(200_000)}0]`;
const messages = `"messages":[{"role":"user","content":"a"}]`;

test.each([
  ["messages of a chat", () => parseChatRequest(`{"model":"m","messages":${list}}`)],
  ["messages", () => parseMessagesRequest(`{"model":"m","messages":${list}}`)],
  ["messages to be counted", () => parseCountRequest(`{"model":"m","messages":${list}}`)],
  ["content", () => parseMessagesRequest(`{"model":"m","messages":[{"role":"user","content":${list}}]}`)],
  ["system", () => parseMessagesRequest(`{"model":"m",${messages},"system":${list}}`)],
  ["tools", () => parseMessagesRequest(`{"model":"m",${messages},"tools":${list}}`)],
  ["stop_sequences", () => parseMessagesRequest(`{"model":"m",${messages},"stop_sequences":${list}}`)],
  ["input", () => parseEmbeddingsRequest(`{"model":"m","input":[[],${list.slice(1)}}`)],
])("validation stops at the first of 200,000 bad elements: %s", (_what, parse) => {
  readJsonText(`{"a":${list}}`);
  const started = cpuTimeMs();
  expect(parse).toThrow(expect.objectContaining({ status: 400 }));
  // Measured: 15 to 30 ms, the time to read the text. With an issue for each element: 0.3 to 2 s.
  expect(cpuTimeMs() - started).toBeLessThan(200);
});
