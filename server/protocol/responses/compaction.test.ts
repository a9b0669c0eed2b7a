import { expect, test } from "vitest";
import { expandCompaction, summaryBody, toCompaction } from "./compaction";

const response = (text: string, status = "completed") => ({
  ...{ id: "resp_1", object: "response", created_at: 7, status, usage: { total_tokens: 3 } },
  output: [
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
  ],
});

test("a summary replaces the conversation in the next request, in any script", () => {
  const compaction = toCompaction(response("他要一艘船 🛶"));
  expect(compaction).toMatchObject({
    object: "response.compaction",
    created_at: 7,
    usage: { total_tokens: 3 },
  });
  const [item = {}] = (compaction?.output ?? []) as Record<string, unknown>[];
  expect(item).toMatchObject({ type: "compaction", id: "cmp_1" });
  expect(expandCompaction(item)).toEqual({
    ...{ type: "message", role: "user", content: expect.stringMatching(/summary of it:\n\n他要一艘船 🛶$/) },
  });
});

test("a summary that was cut off by its limit counts, because the client has paid for it", () => {
  const cut = { ...response("a", "incomplete"), incomplete_details: { reason: "max_output_tokens" } };
  expect(toCompaction(cut)).toMatchObject({ output: [{ type: "compaction" }] });
});

test.each([
  ["a filtered answer", { ...response("a", "incomplete"), incomplete_details: { reason: "content_filter" } }],
  ["an empty answer", response(" ")],
  ["an error", { error: {} }],
])("%s is no compaction", (_, answer) => {
  expect(toCompaction(answer)).toBeNull();
});

test.each([
  { type: "compaction", encrypted_content: "a vendor's" },
  { type: "reasoning", encrypted_content: "tgc1.YQ" },
  { type: "message", role: "user", content: "a" },
])("%j stays as it is", (item) => {
  expect(expandCompaction(item)).toBe(item);
});

test("the call for the summary has the conversation, with the client's numbers as they are written", () => {
  const call = '{"type":"function_call","arguments":{"id":2512292042121000001}}';
  const body = summaryBody(`{"model":"m","input":[${call}],"stream":true,"tools":[],"max_output_tokens":5}`);
  expect(body).toBe(`{"model":"m","input":[${call}],"store":false}`);
});
