import fc from "fast-check";
import { expect, test } from "vitest";
import { mintToolId, toChatToolId, toMessagesToolId } from "./tool-ids";

test("qwen-code#8160: an id such as functions.Bash:0 becomes legal for the client, and the upstream's own again", () => {
  const id = toMessagesToolId("functions.Bash:0");
  expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  expect(toChatToolId(id)).toBe("functions.Bash:0");
});

test("llmgateway#3389: distinct upstream ids stay distinct for the client, and round-trip", () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" }), {
    minLength: 2,
  });
  fc.assert(
    fc.property(ids, (toolIds) => {
      expect(new Set(toolIds.map(toMessagesToolId)).size).toBe(toolIds.length);
      expect(toolIds.map(toMessagesToolId).map(toChatToolId)).toEqual(toolIds);
    }),
  );
});

test.each(["tgid_", "tgid_abc", "tgid_!!", "tgid_Zm9v"])("an upstream's own %j round-trips", (id) => {
  expect(toChatToolId(toMessagesToolId(id))).toBe(id);
});

test("vllm#34745: an id of a client never becomes empty, and a long one is cut to 40 characters", () => {
  const id = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200 }),
    fc.constantFrom("tgid_", "tgid_A", "tgid_=="),
  );
  fc.assert(
    fc.property(id, (toolId) => {
      expect(toChatToolId(toolId).length).toBeGreaterThan(0);
      expect(toChatToolId(toolId).length).toBeLessThanOrEqual(40);
    }),
  );
});

test("a minted id depends on the answer and on the place in it", () => {
  const minted = [mintToolId("a", 0), mintToolId("a", 1), mintToolId("b", 0)];
  expect(new Set(minted).size).toBe(3);
  expect(minted[0]).toMatch(/^call_[0-9a-f]{24}$/);
  expect(mintToolId("a", 0)).toBe(minted[0]);
});
