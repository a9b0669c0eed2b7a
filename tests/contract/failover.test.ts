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

test("a channel that fails five times in a row is left alone, so that its calls fail fast", async () => {
  const fake = await start(refuseWith(500));
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: fake.baseUrl });
  for (let calls = 0; calls < 8; calls++) {
    expect((await ask(model)).status).toBe(502);
  }
  expect(fake.asked.length).toBe(5);
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
