import { describe, expect, test } from "vitest";
import { type JsonObject, loadRecording } from "./corpus";
import { countTokens, type Major, versionOf } from "./messages-client";
import { cutAtRandom, randomOf } from "./replay";
import { act, type Stage, setStage } from "./stage";
import { replaySuite } from "./suite";

const beta = "token-counting-2024-11-01";

async function countThroughSdk(stage: Stage, major: Major) {
  const { gateway, recording, secret, model } = stage;
  const random = randomOf(`${recording.exchange.dir} ${major}`);
  const client = { major, url: gateway.url, secret, beta };
  return act(
    stage,
    (body) => cutAtRandom(body, random),
    () => countTokens(client, { ...recording.request, model }),
  );
}

/** Nothing was frozen, nothing charged, and nothing stands in the ledger. */
async function checkFree({ gateway, accountId }: Stage): Promise<void> {
  expect(await gateway.entries(accountId)).toEqual([]);
  expect(await gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
}

replaySuite(["anthropic.count_tokens"], (exchanges, world) => {
  const each = exchanges.map((exchange) => ({ exchange, dir: exchange.dir }));

  describe("a recorded token count is what the client reads, and is never billed", () => {
    test.each(each)("$dir", async ({ exchange }) => {
      const recording = loadRecording(exchange);
      const stage = await setStage(world(), recording, { dialect: "anthropic", kind: "chat" });
      for (const major of [1, 0] as const) {
        const { result, asked } = await countThroughSdk(stage, major);
        expect(asked.map((one) => one.body)).toEqual([recording.request]);
        expect(asked[0]?.path).toBe("/v1/messages/count_tokens");
        expect(asked[0]?.headers).toMatchObject({ "anthropic-version": versionOf[major] });
        expect(asked[0]?.headers["anthropic-beta"]).toContain(beta);
        if (recording.status >= 400) {
          // One that cannot count, as a 404 says: the gateway estimates.
          expect(result).toEqual({ inputTokens: expect.any(Number), error: null });
        } else {
          const answer = JSON.parse(recording.body.toString("utf8")) as JsonObject;
          expect(result).toEqual({ inputTokens: answer.input_tokens, error: null });
        }
        await checkFree(stage);
      }
    });
  });

  describe("a channel that cannot count is not asked: the gateway estimates, and bills nothing", () => {
    test.each(each)("$dir", async ({ exchange }) => {
      const stage = await setStage(world(), loadRecording(exchange), { dialect: "openai", kind: "chat" });
      const { result, asked } = await countThroughSdk(stage, 1);
      expect(asked).toEqual([]);
      expect(result.error).toBeNull();
      expect(result.inputTokens).toBeGreaterThan(0);
      await checkFree(stage);
    });
  });
});
