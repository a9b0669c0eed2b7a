import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { fakeChannels } from "@/tests/support/fake-channels";
import { type Answer, answerWith, refuseWith, sendJson } from "@/tests/support/upstream";

const channels = fakeChannels();
const { start, ask, silent } = channels;
const messages = [{ role: "user", content: "hi" }];

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
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
    await channels.gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
    expect((await ask(model)).status).toBe(200);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  test("nobody listens at all", async () => {
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1", priority: 2 });
    await channels.gateway.channel({ model, baseUrl: (await start(answerWith("ok"))).baseUrl, priority: 1 });
    expect((await ask(model)).status).toBe(200);
  });
});

test("calls follow the weights of their channels: one with none is asked when the others fail", async () => {
  const [spare, first] = [await start(answerWith("spare")), await start(answerWith("first"))];
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: spare.baseUrl, weight: 0 });
  await channels.gateway.channel({ model, baseUrl: first.baseUrl, weight: 1 });
  // Without the weights all of these would come to the first by chance once in a million times.
  for (let calls = 0; calls < 20; calls++) {
    await ask(model);
  }
  expect([spare.asked.length, first.asked.length]).toEqual([0, 20]);
  first.answer(refuseWith(500));
  expect((await ask(model)).status).toBe(200);
  expect(spare.asked.length).toBe(1);
});

test("the client's own fault is not tried elsewhere", async () => {
  const [first, second] = [await start(refuseWith(400, "bad tools")), await start(answerWith("ok"))];
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
  await channels.gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
  expect((await ask(model)).status).toBe(400);
  expect(second.asked.length).toBe(0);
});

test("a failed call gives the money back", async () => {
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: (await start(refuseWith(500))).baseUrl });
  const { secret, accountId } = await channels.gateway.customer();
  expect((await channels.gateway.chat(secret, { model, messages })).status).toBe(502);
  await eventually(() => channels.gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  await eventually(() => channels.gateway.entries(accountId)).toMatchObject([
    { kind: "release", note: "upstreams_unavailable" },
  ]);
});

describe("where no other channel can take a call", () => {
  /** Fails as often as it is told, then answers. */
  const failing = (fault: Answer, times: number): Answer => {
    let left = times;
    return (asked, response, request) => (left-- > 0 ? fault : answerWith("ok"))(asked, response, request);
  };
  const stage = async (fault: Answer, times: number) => {
    const fake = await start(failing(fault, times));
    const model = await channels.gateway.model();
    await channels.gateway.channel({ model, baseUrl: fake.baseUrl });
    return { fake, model };
  };

  test.each([429, 500, 503, 529])("a passing %i is sent again", async (status) => {
    const { fake, model } = await stage(refuseWith(status), 2);
    expect((await ask(model)).status).toBe(200);
    expect(fake.asked.length).toBe(3);
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

  test("a 401 is not worth a repeat, and says so", async () => {
    const refused = await channels.gateway.chat("sk-nobody", { model: "m", messages: [] });
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([401, "false"]);
  });

  test("an answer that could not be charged has been bought: it is withheld, and the SDK is told so", async () => {
    const { fake, model } = await stage(refuseWith(500), 0);
    const sql = sqlOf(channels.gateway.runtime.db);
    await sql`alter table ledger_entries add constraint refuses check (kind <> 'capture') not valid`;
    try {
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([500, "false"]);
      expect(await refused.json()).toEqual({ code: 500, message: "计费失败,请联系管理员", data: null });
    } finally {
      await sql`alter table ledger_entries drop constraint refuses`;
    }
    expect(fake.asked.length).toBe(1);
  });
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
  const { secret } = await channels.gateway.customer();
  for (let calls = 1; calls <= 6; calls++) {
    const refused = await channels.gateway.post(secret, "messages", { model, messages, max_tokens: 9 });
    expect(await refused.json()).toEqual({ code: 502, message: "上游响应格式异常", data: null });
    expect([first.asked.length, second.asked.length]).toEqual([calls, calls]);
  }
  first.answer(answerWith("hi"));
  const served = await channels.gateway.post(secret, "messages", { model, messages, max_tokens: 9 });
  expect(served.status).toBe(200);
  expect(second.asked.length).toBe(6);
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
  expect((await channels.gateway.chat(secret, { model, messages })).status).toBe(200);
  finish();
  await probe;
});

describe("Google's 400", () => {
  const answer = {
    candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, index: 0, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  /** A channel that refuses so, and then one that answers; what a customer's two calls come to. */
  const callTwice = async (error: object) => {
    const refusing = await start((_asked, response) => sendJson(response, 400, { error }));
    const well = await start((_asked, response) => sendJson(response, 200, answer));
    const { gateway } = channels;
    const model = await gateway.model();
    for (const [at, fake] of [refusing, well].entries()) {
      const baseUrl = fake.baseUrl.replace(/\/v1$/, "");
      await gateway.channel({ model, dialect: "gemini", baseUrl, priority: -at });
    }
    const { secret } = await gateway.customer();
    const answers = [
      await gateway.chat(secret, { model, messages }),
      await gateway.chat(secret, { model, messages }),
    ];
    return { answers, asked: [refusing.asked.length, well.asked.length] };
  };

  test.each([
    ["a key that is none", { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }],
    ["a place that is not served", { status: "FAILED_PRECONDITION" }],
  ])(
    "for %s is no fault of the call's: the next channel takes it, and the credential rests",
    async (_what, more) => {
      const message = "User location is not supported for the API use.";
      const { answers, asked } = await callTwice({ code: 400, message, ...more });
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(asked).toEqual([1, 2]);
    },
  );

  test("for the call's sake is the client's to hear, once", async () => {
    const message = "Invalid value at 'contents'";
    const { answers, asked } = await callTwice({
      code: 400,
      message,
      status: "INVALID_ARGUMENT",
      details: [],
    });
    expect(await answers[0]?.json()).toEqual({ code: 400, message, data: null });
    expect(asked).toEqual([2, 0]);
  });
});
