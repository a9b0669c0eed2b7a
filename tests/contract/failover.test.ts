import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { startGateway } from "@/tests/support/gateway";
import { fakeUpstreams, messages, perFile } from "@/tests/support/per-file";
import {
  answerBytes,
  answerEvents,
  answerJson,
  answerWith,
  type FakeUpstream,
  hangUp,
  refuseWith,
  sseChunk,
  type UpstreamHandler,
} from "@/tests/support/upstream";
import { advancingTime } from "@/tests/support/virtual-clock";

/** How long the gateway waits for an upstream. */
const PATIENCE_SECONDS = 30;
const { timers, advance } = advancingTime();
const gateway = perFile(() =>
  startGateway({ timers, env: { UPSTREAM_TIMEOUT_SECONDS: String(PATIENCE_SECONDS) } }),
);
const start = fakeUpstreams();

/** Takes a call and does not answer; the clock jumps to the call's deadline at once. */
const silent: UpstreamHandler = () => advance(PATIENCE_SECONDS * 1_000);
const html = answerBytes(200, {}, "<html>");

/** A model whose upstreams are tried in this order. */
async function modelServedBy(...answers: UpstreamHandler[]) {
  const model = await gateway.model();
  const fakes = await Promise.all(answers.map(start));
  for (const [at, { baseUrl }] of fakes.entries()) {
    await gateway.channel({ model, baseUrl, priority: -at });
  }
  const [fake] = fakes as [FakeUpstream];
  return { model, fake, callCounts: () => fakes.map(({ requests }) => requests.length) };
}

/** A call of a new customer. */
const ask = async (model: string) => gateway.chat((await gateway.customer()).secret, { model, messages });

describe("when a channel fails, the next one answers", () => {
  const faults: Record<string, UpstreamHandler> = {
    "500": refuseWith(500),
    "429": refuseWith(429),
    "529": refuseWith(529),
    "401": refuseWith(401),
    "404": refuseWith(404),
    hang_up: hangUp,
    silence: silent,
    html,
  };
  test.each(Object.entries(faults))("%s", async (_name, fault) => {
    const { model, callCounts } = await modelServedBy(fault, answerWith("second"));
    expect((await ask(model)).status).toBe(200);
    expect(callCounts()).toEqual([1, 1]);
  });

  test("nothing listens at the address", async () => {
    const { model } = await modelServedBy(answerWith("ok"));
    await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1", priority: 1 });
    expect((await ask(model)).status).toBe(200);
  });
});

test("calls follow the weights of their channels, and one with weight 0 is used when the others fail", async () => {
  const [spare, first] = [await start(answerWith("spare")), await start(answerWith("first"))];
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: spare.baseUrl, weight: 0 });
  await gateway.channel({ model, baseUrl: first.baseUrl, weight: 1 });
  // Without weights, all of these calls would go to the first channel by chance once in a million runs.
  for (let calls = 0; calls < 20; calls++) {
    await ask(model);
  }
  expect([spare.requests.length, first.requests.length]).toEqual([0, 20]);
  first.answer(refuseWith(500));
  expect((await ask(model)).status).toBe(200);
  expect(spare.requests.length).toBe(1);
});

test("a client's own fault is not tried on another channel", async () => {
  const { model, callCounts } = await modelServedBy(refuseWith(400, "bad tools"), answerWith("ok"));
  expect((await ask(model)).status).toBe(400);
  expect(callCounts()).toEqual([1, 0]);
});

test("a failed call returns its money", async () => {
  const { model } = await modelServedBy(refuseWith(500));
  const { secret, accountId } = await gateway.customer();
  expect((await gateway.chat(secret, { model, messages })).status).toBe(502);
  await eventually(() => gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  await eventually(() => gateway.entries(accountId)).toMatchObject([
    { kind: "release", note: "upstreams_unavailable" },
  ]);
});

describe("where no other channel can take a call", () => {
  /** Fails `times` times, then answers. */
  const failing = (fault: UpstreamHandler, times: number): UpstreamHandler => {
    let left = times;
    return (call, response, request) => (left-- > 0 ? fault : answerWith("ok"))(call, response, request);
  };
  const stage = (fault: UpstreamHandler, times: number) => modelServedBy(failing(fault, times));

  test.each([429, 500, 503, 529])("a call with a temporary %i is sent again", async (status) => {
    const { fake, model } = await stage(refuseWith(status), 2);
    expect((await ask(model)).status).toBe(200);
    expect(fake.requests.length).toBe(3);
  });

  test("a call that the vendor may have charged is sent again neither by the gateway nor by the SDK", async () => {
    for (const fault of [silent, html]) {
      const { fake, model } = await stage(fault, 9);
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([502, "false"]);
      expect(fake.requests.length).toBe(1);
    }
  });

  test("an answer that could not be charged is withheld, and the SDK learns that it must not repeat the call", async () => {
    const { fake, model } = await stage(refuseWith(500), 0);
    const sql = sqlOf(gateway.runtime.db);
    await sql`alter table ledger_entries add constraint refuses check (kind <> 'capture') not valid`;
    try {
      const refused = await ask(model);
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([500, "false"]);
      expect(await refused.json()).toEqual({ code: 500, message: "计费失败,请联系管理员", data: null });
    } finally {
      await sql`alter table ledger_entries drop constraint refuses`;
    }
    expect(fake.requests.length).toBe(1);
  });
});

test("if an answer cannot be translated the next channel is tried, and then the call is a 502", async () => {
  const call = { id: "x", function: { name: "f", arguments: '{"a":1' } };
  const message = { content: "", tool_calls: [call] };
  const broken = answerJson({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  const { model, fake, callCounts } = await modelServedBy(broken, broken);
  const { secret } = await gateway.customer();
  for (let calls = 1; calls <= 6; calls++) {
    const refused = await gateway.post(secret, "messages", { model, messages, max_tokens: 9 });
    expect(await refused.json()).toEqual({ code: 502, message: "上游响应格式异常", data: null });
    expect(callCounts()).toEqual([calls, calls]);
  }
  fake.answer(answerWith("hi"));
  const answered = await gateway.post(secret, "messages", { model, messages, max_tokens: 9 });
  expect([answered.status, callCounts()]).toEqual([200, [7, 6]]);
});

test("if a stream comes in place of two answers the next channel is tried, and then the call is a 502", async () => {
  const stream = answerEvents(
    sseChunk({ choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] }),
  );
  const { model, callCounts } = await modelServedBy(stream, answerWith("whole"));
  const { secret } = await gateway.customer();
  const twice = () => gateway.chat(secret, { model, messages, n: 2 });
  expect([(await twice()).status, callCounts()]).toEqual([200, [1, 1]]);
  const alone = await modelServedBy(stream);
  const refused = await gateway.chat(secret, { model: alone.model, messages, n: 2 });
  expect([refused.status, refused.headers.get("x-error-code"), alone.callCounts()]).toEqual([
    502,
    "upstream_malformed",
    [1],
  ]);
});

test("while a slow call probes a channel that had failed, other calls are served all the same", async () => {
  const { fake, model } = await modelServedBy(refuseWith(500));
  for (let calls = 0; calls < 5; calls++) {
    expect((await ask(model)).status).toBe(502);
  }
  // The breaker lets a probe through after ten seconds.
  advance(10_000);
  let isFirst = true;
  const { open: finish, opened: finished } = gate();
  fake.answer(async (call, response, request) => {
    const isProbe = isFirst;
    isFirst = false;
    await (isProbe && finished);
    await answerWith("ok")(call, response, request);
  });
  const { secret } = await gateway.customer();
  const probe = ask(model);
  await eventually(() => isFirst).toBe(false);
  // While the probe is still under way.
  expect((await gateway.chat(secret, { model, messages })).status).toBe(200);
  finish();
  await probe;
});

describe("Google's 400", () => {
  const answer = {
    candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, index: 0, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  /** One channel that refuses with `error`, and one that answers. Returns the results of a customer's two calls. */
  const callTwice = async (error: object) => {
    const refusing = await start(answerJson({ error }, 400));
    const well = await start(answerJson(answer));
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
    return { answers, callCounts: [refusing.requests.length, well.requests.length] };
  };

  test.each([
    ["an invalid key", { status: "INVALID_ARGUMENT", details: [{ reason: "API_KEY_INVALID" }] }],
    ["an unsupported location", { status: "FAILED_PRECONDITION" }],
  ])(
    "for %s is no fault of the call: the next channel takes it, and the credential cools down",
    async (_what, more) => {
      const message = "User location is not supported for the API use.";
      const { answers, callCounts } = await callTwice({ code: 400, message, ...more });
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(callCounts).toEqual([1, 2]);
    },
  );
});
