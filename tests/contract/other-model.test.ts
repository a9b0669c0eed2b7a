import { afterAll, describe, expect, test } from "vitest";
import { callQueries } from "@/server/queries";
import { messagesEvent } from "@/tests/support/messages-answer";
import { messages, served } from "@/tests/support/per-file";
import { beginEvents, sendJson, type UpstreamHandler } from "@/tests/support/upstream";

const COUNTS = { input_tokens: 20, output_tokens: 50 };
const ADVICE = { type: "advisor_message", input_tokens: 7, output_tokens: 3 };

/** A vendor whose model asks another model, or itself, for advice. */
const advisedBy =
  (model: string): UpstreamHandler =>
  (call, response) => {
    const head = { id: "msg_1", type: "message", role: "assistant", model: "vendors-own" };
    const text = { type: "text", text: "well advised" };
    const usage = {
      ...COUNTS,
      iterations: [
        { ...ADVICE, model },
        { type: "message", ...COUNTS },
      ],
    };
    if (call.body.stream !== true) {
      const ending = { stop_reason: "end_turn", stop_sequence: null };
      sendJson(response, 200, { ...head, content: [text], ...ending, usage });
      return;
    }
    const write = (type: string, rest: object) => response.write(messagesEvent({ type, ...rest }));
    beginEvents(response, "");
    write("message_start", { message: { ...head, content: [], usage: { ...COUNTS, output_tokens: 1 } } });
    write("content_block_start", { index: 0, content_block: { ...text, text: "" } });
    write("content_block_delta", { index: 0, delta: { type: "text_delta", text: text.text } });
    write("content_block_stop", { index: 0 });
    write("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
    write("message_stop", {});
    response.end();
  };

const { gateway, upstream, model } = served(advisedBy("another"), {}, { dialect: "anthropic" });
afterAll(async () => {
  expect(await gateway.verify()).toEqual([]);
});

/** The charge of a call in the ledger, and as the console explains it. */
async function charged(path: string, body: object) {
  const { accountId, secret } = await gateway.customer();
  const response = await gateway.post(secret, path, { model, messages, ...body });
  await response.text();
  expect(response.status).toBe(200);
  const requestId = response.headers.get("x-request-id") ?? "";
  await gateway.runtime.calls.flush();
  const [entry] = await gateway.entries(accountId);
  return { entry, shown: await callQueries.get.read(gateway.runtime, { requestId, accountId }, "owner") };
}

describe.each(["messages", "chat/completions"])("/v1/%s", (path) => {
  test.each([false, true])(
    "another model's tokens are charged at the called model's price, and marked (stream: %s)",
    async (stream) => {
      upstream.answer(advisedBy("another"));
      const { entry, shown } = await charged(path, { stream, max_tokens: 100 });
      const counted = { amount: 133_000n, inputTokens: 27, outputTokens: 53 };
      expect(entry).toMatchObject({ ...counted, note: "other model" });
      expect(shown).toMatchObject({ hasOtherModel: true, isLate: false });
      expect(shown?.lines).toMatchObject([
        { class: "input", tokens: 27, price: "1" },
        { class: "output", tokens: 53, price: "2" },
      ]);
    },
  );

  test("a charge above its hold is still counted as one next to that mark", async () => {
    upstream.answer(advisedBy("another"));
    const { entry, shown } = await charged(path, { max_tokens: 1 });
    expect(entry?.note).toBe("other model, above hold");
    expect(shown).toMatchObject({ hasOtherModel: true });
  });
});
