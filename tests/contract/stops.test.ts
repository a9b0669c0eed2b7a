/** Stop sequences that an upstream's model does not support: where the answer ends, and its charge. */
import OpenAI from "openai";
import { expect, test } from "vitest";
import { collectItems } from "@/tests/support/collect-items";
import { messages, perFile, served } from "@/tests/support/per-file";
import { answerWith, beginEvents, chatDelta, usage } from "@/tests/support/upstream";

const channel = { capabilities: { maxStops: 0 } } as const;
const { gateway, upstream, model } = served(
  answerWith("Think first. STOP and more", usage(10, 40)),
  {},
  channel,
);
const customer = perFile(() => gateway.customer());
const body = () => ({ model, messages, stop: ["STOP"] });
const lastEntry = async () => (await gateway.entries(customer.accountId)).at(0);

test.each([false, true])(
  "an answer that is cut at a stop sequence is charged as the upstream counts it to its end (streamed: %s)",
  async (isStream) => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0 });
    const chunks = isStream
      ? await collectItems(
          await client.chat.completions.create({
            ...body(),
            stream: true,
            stream_options: { include_usage: true },
          }),
        )
      : [];
    const whole = isStream ? null : await client.chat.completions.create(body());
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const text =
      whole?.choices[0]?.message.content ?? choices.map(({ delta }) => delta.content ?? "").join("");
    const ends = whole?.choices ?? choices.filter(({ finish_reason }) => finish_reason !== null);
    expect(text).toBe("Think first. ");
    expect(ends.map(({ finish_reason }) => finish_reason)).toEqual(["stop"]);
    expect((whole ?? chunks.at(-1))?.usage).toMatchObject(usage(10, 40));
    expect(upstream.requests.at(-1)?.body).not.toHaveProperty("stop");
    // 10 x 1/1e6 + 40 x 2/1e6
    expect(await lastEntry()).toMatchObject({ kind: "capture", amount: 90_000n, usageSource: "upstream" });
    expect((await gateway.balance(customer.accountId)).frozen).toBe(0n);
  },
);

test("an upstream that breaks off after the cut breaks no answer, and what came through is charged", async () => {
  upstream.answer((_asked, response) => {
    beginEvents(response, chatDelta({ content: "Think STOP" }));
    response.write(chatDelta({ content: " more" }));
    response.end();
  });
  const response = await gateway.chat(customer.secret, { ...body(), stream: true });
  const text = await response.text();
  expect(text).toContain('"finish_reason":"stop"');
  expect(text.trimEnd().endsWith("[DONE]")).toBe(true);
  expect(await lastEntry()).toMatchObject({ kind: "capture", usageSource: "estimated", note: null });
});
