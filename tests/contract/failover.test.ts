import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import {
  type Answer,
  answerWith,
  type FakeUpstream,
  refuseWith,
  sendJson,
  startUpstream,
} from "@/tests/support/upstream";

let gateway: TestGateway;
const fakes: FakeUpstream[] = [];

beforeAll(async () => {
  gateway = await startGateway({ env: { UPSTREAM_TIMEOUT_SECONDS: "1" } });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(fakes.map((fake) => fake.close()));
});

const start = async (answer: Answer) => {
  const fake = await startUpstream(answer);
  fakes.push(fake);
  return fake;
};
const ask = async (model: string) => {
  const { secret } = await gateway.customer();
  return gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
};
const silent: Answer = () => {};

describe("when a channel fails, the next one answers", () => {
  const faults: Record<string, Answer> = {
    "500": refuseWith(500),
    "429": refuseWith(429),
    "529": refuseWith(529),
    "401": refuseWith(401),
    "404": refuseWith(404),
    hang_up: (_asked, response) => void response.destroy(),
    silence: silent,
    html: (_asked, response) => void response.writeHead(200).end("<html>"),
  };
  test.each(Object.entries(faults))("%s", async (_name, fault) => {
    const [first, second] = [await start(fault), await start(answerWith("second"))];
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
    await gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
    expect((await ask(model)).status).toBe(200);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  test("nobody listens at all", async () => {
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1", priority: 2 });
    await gateway.channel({ model, baseUrl: (await start(answerWith("ok"))).baseUrl, priority: 1 });
    expect((await ask(model)).status).toBe(200);
  });
});

test("the client's own fault is not tried elsewhere", async () => {
  const [first, second] = [await start(refuseWith(400, "bad tools")), await start(answerWith("ok"))];
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
  await gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
  expect((await ask(model)).status).toBe(400);
  expect(second.asked.length).toBe(0);
});

test("an upstream that never answers is a 502 after its deadline, not a hang", async () => {
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: (await start(silent)).baseUrl });
  const started = performance.now();
  expect((await ask(model)).status).toBe(502);
  expect(performance.now() - started).toBeLessThan(3_000);
});

test("a refused credential rests while the others of its channel serve", async () => {
  const fake = await start((asked, response, request) =>
    asked.headers.authorization === "Bearer good"
      ? answerWith("ok")(asked, response, request)
      : refuseWith(401)(asked, response, request),
  );
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: fake.baseUrl, secrets: ["bad", "good"] });
  for (let calls = 0; calls < 10; calls++) {
    expect((await ask(model)).status).toBe(200);
  }
  expect(
    fake.asked.filter((asked) => asked.headers.authorization === "Bearer bad").length,
  ).toBeLessThanOrEqual(1);
});

test("a channel that fails five calls in a row is left alone, so that its calls fail fast", {
  timeout: 15_000,
}, async () => {
  const fake = await start(refuseWith(500));
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: fake.baseUrl });
  for (let calls = 0; calls < 5; calls++) {
    expect((await ask(model)).status).toBe(502);
  }
  const asked = fake.asked.length;
  for (let calls = 0; calls < 3; calls++) {
    const refused = await ask(model);
    expect(refused.status).toBe(502);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(8);
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
  test.each(Object.entries(faults))("%s", { timeout: 20_000 }, async (_name, fault) => {
    const fake = await start((asked, response, request) =>
      (asked.raw.includes("poison") ? fault : answerWith("ok"))(asked, response, request),
    );
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: fake.baseUrl });
    const attacker = await gateway.customer();
    const poison = { model, messages: [{ role: "user", content: "poison" }] };
    for (let calls = 0; calls < 6; calls++) {
      expect((await gateway.chat(attacker.secret, poison)).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

  test.each([402, 403, 429])("nor has a %i that it brings about a credential rest", async (status) => {
    const first = await start((asked, response, request) =>
      (asked.raw.includes("poison") ? refuseWith(status) : answerWith("ok"))(asked, response, request),
    );
    const second = await start(answerWith("dearer"));
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: first.baseUrl, secrets: ["one", "two"], priority: 2 });
    await gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
    const attacker = await gateway.customer();
    const poison = { model, messages: [{ role: "user", content: "poison" }] };
    for (let calls = 0; calls < 6; calls++) {
      expect((await gateway.chat(attacker.secret, poison)).status).toBe(200);
    }
    const [before, elsewhere] = [first.asked.length, second.asked.length];
    // Toward the attacker both credentials rest.
    expect(before).toBe(2);
    expect((await ask(model)).status).toBe(200);
    expect([first.asked.length, second.asked.length]).toEqual([before + 1, elsewhere]);
  });

  const statuses = Array.from({ length: 52 }, (_, index) => 400 + index);
  test("every 4xx", { timeout: 60_000 }, async () => {
    for (const status of statuses) {
      const fake = await start((asked, response, request) =>
        (asked.raw.includes("poison") ? refuseWith(status) : answerWith("ok"))(asked, response, request),
      );
      const model = await gateway.model();
      const id = await gateway.channel({ model, baseUrl: fake.baseUrl });
      const poisoned = Array.from({ length: 6 }, async () => {
        const { secret } = await gateway.customer();
        return await gateway.chat(secret, { model, messages: [{ role: "user", content: "poison" }] });
      });
      expect((await Promise.all(poisoned)).every((refused) => [400, 502].includes(refused.status))).toBe(
        true,
      );
      const seen = (await gateway.runtime.channels.health()).filter(({ channelId }) => channelId === id);
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
    const model = await gateway.model();
    const id = await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox://", secrets: ["none"] });
    const { secret } = await gateway.customer();
    for (let calls = 0; calls < 6; calls++) {
      expect([200, 400]).toContain((await gateway.chat(secret, { model, messages })).status);
    }
    expect((await ask(model)).status).toBe(200);
    const seen = (await gateway.runtime.channels.health()).find(({ channelId }) => channelId === id);
    expect(seen).toMatchObject({ state: "closed", lastFault: null });
  });
});

describe("where no other channel can take a call", () => {
  /** Fails as often as it is told, then answers. */
  const failing = (fault: Answer, times: number): Answer => {
    let left = times;
    return (asked, response, request) => (left-- > 0 ? fault : answerWith("ok"))(asked, response, request);
  };
  const refuseAfter =
    (status: number, seconds: string): Answer =>
    (_asked, response) => {
      response.setHeader("retry-after", seconds);
      sendJson(response, status, { error: { message: "slow down" } });
    };
  const stage = async (fault: Answer, times: number) => {
    const fake = await start(failing(fault, times));
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: fake.baseUrl });
    return { fake, model };
  };

  test.each([429, 500, 503, 529])("a passing %i is sent again", async (status) => {
    const { fake, model } = await stage(refuseWith(status), 2);
    expect((await ask(model)).status).toBe(200);
    expect(fake.asked.length).toBe(3);
  });

  test("the wait is the one that the upstream asks for", async () => {
    const { fake, model } = await stage(refuseAfter(429, "1"), 1);
    const started = performance.now();
    expect((await ask(model)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
    expect(fake.asked.length).toBe(2);
  });

  test("a longer one is the client's: the 502 says how long", async () => {
    const { fake, model } = await stage(refuseAfter(429, "20"), 9);
    const refused = await ask(model);
    expect([
      refused.status,
      refused.headers.get("retry-after"),
      refused.headers.get("x-should-retry"),
    ]).toEqual([502, "20", null]);
    expect(fake.asked.length).toBe(1);
  });

  test("what may have been bought is not sent again, neither from here nor by the SDK", async () => {
    for (const fault of [
      silent,
      ((_asked, response) => void response.writeHead(200).end("<html>")) as Answer,
    ]) {
      const { fake, model } = await stage(fault, 9);
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([502, "false"]);
      expect(fake.asked.length).toBe(1);
    }
  });

  test("the official SDK gets its answer through a fault of some seconds", { timeout: 20_000 }, async () => {
    const { model } = await stage(refuseWith(503), 4);
    const { secret } = await gateway.customer();
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1` });
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "hi" }],
    });
    expect(answer.choices[0]?.message.content).toBe("ok");
  });

  test("a 401 is not worth a repeat, and says so", async () => {
    const refused = await gateway.chat("sk-nobody", { model: "m", messages: [] });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
  });
});

describe("what says nothing about a channel's other calls does not close it to them", () => {
  const uncountable: Answer = (asked, response, request) =>
    asked.path.includes("count_tokens")
      ? refuseWith(500)(asked, response, request)
      : answerMessageWith("hi")(asked, response, request);
  const messages = [{ role: "user", content: "hi" }];
  const post = async (path: string, body: object) => {
    const { secret } = await gateway.customer();
    return fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { "x-api-key": secret, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
  };

  test("token counts that fail", async () => {
    const model = await gateway.model();
    const fake = await start(uncountable);
    await gateway.channel({ model, dialect: "anthropic", baseUrl: fake.baseUrl });
    for (let calls = 0; calls < 6; calls++) {
      const counted = await post("/v1/messages/count_tokens", { model, messages });
      expect([counted.status, await counted.json()]).toEqual([200, { input_tokens: expect.any(Number) }]);
    }
    expect((await post("/v1/messages", { model, messages, max_tokens: 9 })).status).toBe(200);
  });

  test("embeddings that it does not have", async () => {
    const [model, embedding] = [await gateway.model(), await gateway.model({ kind: "embedding" })];
    const fake = await start((asked, response, request) =>
      (asked.path.includes("embeddings") ? refuseWith(500) : answerWith("hi"))(asked, response, request),
    );
    const models = { [model]: "chat", [embedding]: "embedding" };
    await gateway.channel({ model, baseUrl: fake.baseUrl, models });
    for (let calls = 0; calls < 6; calls++) {
      expect((await post("/v1/embeddings", { model: embedding, input: "x" })).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

  test("a model that it does not have", async () => {
    const [model, gone] = [await gateway.model(), await gateway.model()];
    const fake = await start((asked, response, request) =>
      (asked.body.model === "gone" ? refuseWith(404) : answerWith("hi"))(asked, response, request),
    );
    await gateway.channel({ model, baseUrl: fake.baseUrl, models: { [model]: "chat", [gone]: "gone" } });
    for (let calls = 0; calls < 6; calls++) {
      expect((await ask(gone)).status).toBe(502);
    }
    expect((await ask(model)).status).toBe(200);
  });

  test("answers that cannot be translated: the next channel is tried, and then it is a 502", async () => {
    const model = await gateway.model();
    const call = { id: "x", function: { name: "f", arguments: '{"a":1' } };
    const broken: Answer = (_asked, response) =>
      sendJson(response, 200, {
        id: "c",
        choices: [{ index: 0, message: { content: "", tool_calls: [call] }, finish_reason: "tool_calls" }],
      });
    const [first, second] = [await start(broken), await start(broken)];
    await gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
    await gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
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

test("while a slow call probes a channel that had failed, the others are served all the same", {
  timeout: 30_000,
}, async () => {
  const fake = await start(refuseWith(500));
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: fake.baseUrl });
  for (let calls = 0; calls < 5; calls++) {
    expect((await ask(model)).status).toBe(502);
  }
  // The breaker lets a probe through after ten seconds.
  await new Promise((resolve) => setTimeout(resolve, 10_100));
  let isFirst = true;
  fake.answer(async (asked, response, request) => {
    const delayMs = isFirst ? 700 : 0;
    isFirst = false;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await answerWith("ok")(asked, response, request);
  });
  const probe = ask(model);
  await expect.poll(() => isFirst).toBe(false);
  expect((await ask(model)).status).toBe(200);
  expect((await probe).status).toBe(200);
});

test("traffic inside a tier follows the weights", async () => {
  const [heavy, light, spare] = [
    await start(answerWith("a")),
    await start(answerWith("b")),
    await start(answerWith("c")),
  ];
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: heavy.baseUrl, weight: 9, priority: 1 });
  await gateway.channel({ model, baseUrl: light.baseUrl, weight: 1, priority: 1 });
  await gateway.channel({ model, baseUrl: spare.baseUrl, weight: 100, priority: 0 });
  const { secret } = await gateway.customer();
  const calls = Array.from({ length: 100 }, () =>
    gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] }),
  );
  await Promise.all((await Promise.all(calls)).map((response) => response.text()));
  expect(heavy.asked.length).toBeGreaterThan(70);
  expect(light.asked.length).toBeGreaterThan(0);
  expect(spare.asked.length).toBe(0);
});

test("a failed call gives the money back", async () => {
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: (await start(refuseWith(500))).baseUrl });
  const { secret, accountId } = await gateway.customer();
  expect((await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status).toBe(
    502,
  );
  await expect.poll(() => gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  await expect
    .poll(() => gateway.entries(accountId))
    .toMatchObject([{ kind: "release", note: "upstreams_unavailable" }]);
});

test("clients that hang up do not count against the channel", async () => {
  const fake = await start(silent);
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: fake.baseUrl });
  const { secret } = await gateway.customer();
  for (let calls = 1; calls <= 6; calls++) {
    const abort = new AbortController();
    const call = gateway.chat(
      secret,
      { model, messages: [{ role: "user", content: "hi" }] },
      { signal: abort.signal },
    );
    await expect.poll(() => fake.asked.length).toBe(calls);
    abort.abort();
    await expect(call).rejects.toThrow();
  }
  fake.answer(answerWith("ok"));
  expect((await ask(model)).status).toBe(200);
});
