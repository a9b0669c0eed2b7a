import OpenAI from "openai";
import { expect, test } from "vitest";
import { FAULT_MODEL, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { holdUpdates } from "@/tests/support/held-updates";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

const clientOf = (apiKey: string) =>
  new OpenAI({ baseURL: `${gateway.server().url}/v1`, apiKey, maxRetries: 0 });

test("a conversation has all of a response or none of it when its server is killed while it makes or adds one", {
  timeout: 300_000,
}, async () => {
  const { secret } = await gateway.customer("conversing", "100");
  const { id } = await clientOf(secret).conversations.create();
  const ask = (input: string) =>
    clientOf(secret).responses.create({ model: FAULT_MODEL, input, conversation: id });
  const storedTexts = async () => {
    const { data } = await clientOf(secret).conversations.items.list(id, { order: "asc" });
    return data
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .map((part) => ("text" in part ? part.text : ""));
  };
  await ask("one");
  upstream.answer(heldAnswer().answer);
  const before = upstream.requests.length;
  const making = ask("lost").catch(() => null);
  await until(() => upstream.requests.length > before);
  await gateway.killServer();
  expect(await making).toBeNull();
  upstream.answer(answerWith("Hello there"));
  await gateway.start();
  expect(await storedTexts()).toEqual(["one", "Hello there"]);

  // The entry is written, and the conversation does not point to it yet.
  const clean = await holdUpdates(gateway, "conversations", async (untilHeld) => {
    const adding = ask("half").catch(() => null);
    await untilHeld();
    await gateway.killServer();
    expect(await adding).toBeNull();
  });
  await gateway.start();
  await clean();
  expect(await storedTexts()).toEqual(["one", "Hello there"]);
  await ask("two");
  expect(upstream.requests.at(-1)?.raw).toMatch(/one.*Hello there.*two/);
  expect(upstream.requests.at(-1)?.raw).not.toMatch(/lost|half/);
  expect(await storedTexts()).toEqual(["one", "Hello there", "two", "Hello there"]);
});
