import { expect, test } from "vitest";
import { FAULT_MODEL, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { perFile } from "@/tests/support/per-file";
import { waitFor } from "@/tests/support/process";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

test.each([false, true])(
  "a server is killed in the middle of a call: its repeat runs once, and is all that is charged (stream: %s)",
  { timeout: 180_000 },
  async (stream) => {
    const { secret, accountId } = await gateway.customer(`once-${stream}`, "100");
    const call = () =>
      fetch(`${gateway.server().url}/v1/chat/completions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
          "idempotency-key": "one",
        },
        body: JSON.stringify({ model: FAULT_MODEL, stream, messages: [{ role: "user", content: "hi" }] }),
      });
    upstream.answer(heldAnswer().answer);
    const asked = upstream.asked.length;
    const first = call().then((response) => response.text());
    const cut = expect(first).rejects.toThrow();
    await waitFor(() => upstream.asked.length === asked + 1);
    await gateway.killServer();
    await cut;
    upstream.answer(answerWith("Hello there"));
    await gateway.start();
    const answers = await Promise.all([call(), call(), call()]);
    const texts = await Promise.all(answers.map((response) => response.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(upstream.asked.length).toBe(asked + 2);
    await gateway.withLedger(async (ledger) => {
      await waitFor(async () => (await ledger.allHolds()) === 0, 60_000);
      const ids = answers.flatMap(({ headers }) => headers.get("x-request-id") ?? []);
      const entries = await ledger.entriesOfAll(ids);
      expect(entries.map(({ kind }) => kind)).toEqual(["capture"]);
      const [month] = await ledger.months([accountId]);
      // 10 tokens of the prompt and 5 of the answer.
      expect([month?.used, month?.frozen]).toEqual([20_000n, 0n]);
      expect(await ledger.verify()).toEqual([]);
    });
  },
);
