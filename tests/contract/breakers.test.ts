import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { fakeChannels } from "@/tests/support/fake-channels";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { type Answer, answerWith, refuseWith, sendJson } from "@/tests/support/upstream";

const channels = fakeChannels();
const { start, ask } = channels;

test("a channel that fails five calls in a row is left alone, so that its calls fail fast", async () => {
  const fake = await start(refuseWith(500));
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
  let fifthAt = 0;
  for (let calls = 0; calls < 5; calls++) {
    fifthAt = performance.now();
    expect((await ask(model)).status).toBe(502);
  }
  const asked = fake.asked.length;
  for (let calls = 0; calls < 3; calls++) {
    const refused = await ask(model);
    expect(refused.status).toBe(502);
    // For ten seconds from then on.
    const leftMs = 10_000 - (performance.now() - fifthAt);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(leftMs / 1_000);
  }
  expect(fake.asked.length).toBe(asked);
});

describe("what says nothing about a channel's other calls does not close it to them", () => {
  const _uncountable: Answer = (asked, response, request) =>
    asked.path.includes("count_tokens")
      ? refuseWith(500)(asked, response, request)
      : answerMessageWith("hi")(asked, response, request);
  const messages = [{ role: "user", content: "hi" }];
  const post = async (path: string, body: object) => {
    const { secret } = await channels.gateway.customer();
    return fetch(`${channels.gateway.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": secret, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
  };

  test("answers that cannot be translated: the next channel is tried, and then it is a 502", async () => {
    const model = await channels.gateway.model();
    const call = { id: "x", function: { name: "f", arguments: '{"a":1' } };
    const broken: Answer = (_asked, response) =>
      sendJson(response, 200, {
        id: "c",
        choices: [{ index: 0, message: { content: "", tool_calls: [call] }, finish_reason: "tool_calls" }],
      });
    const [first, second] = [await start(broken), await start(broken)];
    await channels.gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
    await channels.gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
    for (let calls = 1; calls <= 6; calls++) {
      const refused = await post("/v1/messages", { model, messages, max_tokens: 9 });
      expect(await refused.json()).toEqual({ code: 502, message: "上游响应格式异常", data: null });
      expect([first.asked.length, second.asked.length]).toEqual([calls, calls]);
    }
    first.answer(answerWith("hi"));
    expect((await post("/v1/messages", { model, messages, max_tokens: 9 })).status).toBe(200);
    expect(second.asked.length).toBe(6);
  });
});

test("while a slow call probes a channel that had failed, the others are served all the same", async () => {
  const fake = await start(refuseWith(500));
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
  for (let calls = 0; calls < 5; calls++) {
    expect((await ask(model)).status).toBe(502);
  }
  // The breaker lets a probe through after ten seconds.
  channels.advance(10_000);
  let isFirst = true;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  fake.answer(async (asked, response, request) => {
    const isProbe = isFirst;
    isFirst = false;
    await (isProbe && finished);
    await answerWith("ok")(asked, response, request);
  });
  const { secret } = await channels.gateway.customer();
  const probe = ask(model);
  await eventually(() => isFirst).toBe(false);
  // While the probe is still under way.
  const messages = [{ role: "user", content: "hi" }];
  expect((await channels.gateway.chat(secret, { model, messages })).status).toBe(200);
  finish();
  await probe;
});
