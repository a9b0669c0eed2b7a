import { describe, expect, test } from "vitest";
import { fakeChannels } from "@/tests/support/fake-channels";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { type Answer, answerWith, refuseWith, sendJson } from "@/tests/support/upstream";

const channels = fakeChannels();
const { start, ask, silent } = channels;

test("a refused credential rests while the others of its channel serve", async () => {
  const fake = await start((asked, response, request) =>
    asked.headers.authorization === "Bearer good"
      ? answerWith("ok")(asked, response, request)
      : refuseWith(401)(asked, response, request),
  );
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: fake.baseUrl, secrets: ["bad", "good"] });
  for (let calls = 0; calls < 10; calls++) {
    expect((await ask(model)).status).toBe(200);
  }
  expect(
    fake.asked.filter((asked) => asked.headers.authorization === "Bearer bad").length,
  ).toBeLessThanOrEqual(1);
});

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

describe("what one account's requests bring about closes no channel to the others", () => {
  const faults: Record<string, Answer> = {
    "500": refuseWith(500),
    hang_up: (_asked, response) => void response.destroy(),
    html: (_asked, response) => void response.writeHead(200).end("<html>"),
    silence: silent,
  };
  test.each(Object.entries(faults))("%s", async (_name, fault) => {
    const fake = await start((asked, response, request) =>
      (asked.raw.includes("poison") ? fault : answerWith("ok"))(asked, response, request),
    );
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
    const attacker = await channels.gateway.customer();
    const poison = { model, messages: [{ role: "user", content: "poison" }] };
    for (let calls = 0; calls < 6; calls++) {
      expect((await channels.gateway.chat(attacker.secret, poison)).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

  test.each([402, 403, 429])("nor has a %i that it brings about a credential rest", async (status) => {
    const first = await start((asked, response, request) =>
      (asked.raw.includes("poison") ? refuseWith(status) : answerWith("ok"))(asked, response, request),
    );
    const second = await start(answerWith("dearer"));
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: first.baseUrl, secrets: ["one", "two"], priority: 2 });
    await channels.gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
    const attacker = await channels.gateway.customer();
    const poison = { model, messages: [{ role: "user", content: "poison" }] };
    for (let calls = 0; calls < 6; calls++) {
      expect((await channels.gateway.chat(attacker.secret, poison)).status).toBe(200);
    }
    const [before, elsewhere] = [first.asked.length, second.asked.length];
    // Toward the attacker both credentials rest.
    expect(before).toBe(2);
    expect((await ask(model)).status).toBe(200);
    expect([first.asked.length, second.asked.length]).toEqual([before + 1, elsewhere]);
  });

  const statuses = Array.from({ length: 52 }, (_, index) => 400 + index);
  test("every 4xx", async () => {
    for (const status of statuses) {
      const fake = await start((asked, response, request) =>
        (asked.raw.includes("poison") ? refuseWith(status) : answerWith("ok"))(asked, response, request),
      );
      const model = await channels.gateway.model();
      const id = await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
      const poisoned = Array.from({ length: 6 }, async () => {
        const { secret } = await channels.gateway.customer();
        return await channels.gateway.chat(secret, {
          model,
          messages: [{ role: "user", content: "poison" }],
        });
      });
      expect((await Promise.all(poisoned)).every((refused) => [400, 502].includes(refused.status))).toBe(
        true,
      );
      const seen = (await channels.gateway.runtime.channels.health()).filter(
        ({ channelId }) => channelId === id,
      );
      expect(seen.map(({ state }) => [status, state])).toEqual([[status, "closed"]]);
      expect((await ask(model)).status).toBe(200);
    }
  });
});

describe("in the sandbox no request closes the channel", () => {
  const requests = {
    "an assistant turn without content": [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
    ],
    "a turn without anything": [{ role: "user" }],
  };
  test.each(Object.entries(requests))("%s", async (_name, messages) => {
    const model = await channels.gateway.model();
    const id = await channels.gateway.channel({
      model,
      dialect: "sandbox",
      baseUrl: "sandbox://",
      secrets: ["none"],
    });
    const { secret } = await channels.gateway.customer();
    for (let calls = 0; calls < 6; calls++) {
      expect([200, 400]).toContain((await channels.gateway.chat(secret, { model, messages })).status);
    }
    expect((await ask(model)).status).toBe(200);
    const seen = (await channels.gateway.runtime.channels.health()).find(({ channelId }) => channelId === id);
    expect(seen).toMatchObject({ state: "closed", lastFault: null });
  });
});

describe("what says nothing about a channel's other calls does not close it to them", () => {
  const uncountable: Answer = (asked, response, request) =>
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

  test("token counts that fail", async () => {
    const model = await channels.gateway.model();
    const fake = await start(uncountable);
    await channels.gateway.channel({ model, dialect: "anthropic", baseUrl: fake.baseUrl });
    for (let calls = 0; calls < 6; calls++) {
      const counted = await post("/v1/messages/count_tokens", { model, messages });
      expect([counted.status, await counted.json()]).toEqual([200, { input_tokens: expect.any(Number) }]);
    }
    expect((await post("/v1/messages", { model, messages, max_tokens: 9 })).status).toBe(200);
  });

  test("embeddings that it does not have", async () => {
    const [model, embedding] = [
      await channels.gateway.model(),
      await channels.gateway.model({ kind: "embedding" }),
    ];
    const fake = await start((asked, response, request) =>
      (asked.path.includes("embeddings") ? refuseWith(500) : answerWith("hi"))(asked, response, request),
    );
    const models = { [model]: "chat", [embedding]: "embedding" };
    await channels.gateway.channel({ model, baseUrl: fake.baseUrl, models });
    for (let calls = 0; calls < 6; calls++) {
      expect((await post("/v1/embeddings", { model: embedding, input: "x" })).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

  test("a model that it does not have", async () => {
    const [model, gone] = [await channels.gateway.model(), await channels.gateway.model()];
    const fake = await start((asked, response, request) =>
      (asked.body.model === "gone" ? refuseWith(404) : answerWith("hi"))(asked, response, request),
    );
    await channels.gateway.channel({
      model,
      baseUrl: fake.baseUrl,
      models: { [model]: "chat", [gone]: "gone" },
    });
    for (let calls = 0; calls < 6; calls++) {
      expect((await ask(gone)).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

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
  await expect.poll(() => isFirst).toBe(false);
  // While the probe is still under way.
  const messages = [{ role: "user", content: "hi" }];
  expect((await channels.gateway.chat(secret, { model, messages })).status).toBe(200);
  finish();
  await probe;
});
