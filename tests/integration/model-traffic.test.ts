import { expect, test } from "vitest";
import { createModelHours, type ModelCall } from "@/server/calls";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import {
  answerWith,
  breakAfter,
  chatDelta,
  openStreams,
  sendJson,
  startUpstream,
  usage,
} from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("one two three four five", usage(10, 5))));

async function newModel() {
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  return model;
}

const ok: Omit<ModelCall, "modelId"> = { isOk: true, latencyMs: 500, outputTokens: 100, outputMs: 1_000 };

/** Another process's counts: `traffic` is read for the first time here. */
const counting = (clock = () => new Date()) =>
  createModelHours({ db: gateway.runtime.db, log: gateway.runtime.log, clock });

test("calls are counted for their model by the gateway: streams have a latency, faults of the upstream lower the uptime, and refused clients do not", async () => {
  const model = await newModel();
  const { secret } = await gateway.customer();
  const ask = async (body: object) => {
    const answer = await gateway.chat(secret, {
      model,
      messages: [{ role: "user", content: "hi" }],
      ...body,
    });
    await answer.text();
    return answer.status;
  };
  for (let call = 0; call < 30; call++) {
    expect(await ask({ stream: call < 20 })).toBe(200);
  }
  expect(await ask({ messages: "no list" })).toBe(400);
  upstream.answer((_, response) => sendJson(response, 500, { error: { message: "broken" } }));
  for (let call = 0; call < 10; call++) {
    expect(await ask({})).toBeGreaterThanOrEqual(500);
  }
  upstream.answer(answerWith("one two three four five", usage(10, 5)));
  await gateway.runtime.modelHours.flush();
  const { day, week } = (await counting().traffic()).get(model) ?? {};
  expect(day).toEqual(week);
  expect(day).toMatchObject({ calls: 40, uptime: 0.75 });
  expect(day?.latencyMs).toBeGreaterThan(0);
  expect(day?.tokensPerSecond).toBeGreaterThan(0);
});

test("a call counts for its model also if it may be repeated, or if its address names the model", async () => {
  const model = await newModel();
  const { secret } = await gateway.customer();
  const body = { model, messages: [{ role: "user", content: "hi" }] };
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const addresses = [
    ["/v1/chat/completions", { "idempotency-key": "once" }],
    [`/openai/deployments/${model}/chat/completions`, {}],
    [`/v1beta/models/${model}:generateContent`, {}],
  ] as const;
  for (const [path, more] of addresses) {
    const said = path.startsWith("/v1beta") ? { contents: [{ parts: [{ text: "hi" }] }] } : body;
    const answer = await fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { ...headers, "x-goog-api-key": secret, ...more },
      body: JSON.stringify(said),
    });
    expect([path, answer.status]).toEqual([path, 200]);
    await answer.text();
  }
  await gateway.runtime.modelHours.flush();
  const sql = sqlOf(gateway.runtime.db);
  expect(await sql`select calls::int from model_hours where model_id = ${model}`).toEqual([{ calls: 3 }]);
});

test("a client that hangs up in the middle of a stream is no fault of the model, and a stream that breaks off is", async () => {
  const model = await newModel();
  const { secret } = await gateway.customer();
  const begin = async () => {
    const leaving = new AbortController();
    const body = { model, messages: [{ role: "user", content: "hi" }], stream: true };
    const answer = await gateway.chat(secret, body, { signal: leaving.signal });
    return { answer, leave: () => leaving.abort() };
  };
  upstream.answer(openStreams(usage(10, 5)).answer);
  for (let call = 0; call < 20; call++) {
    (await begin()).leave();
  }
  upstream.answer(breakAfter(chatDelta({ content: "one" })));
  for (let call = 0; call < 5; call++) {
    await (await begin()).answer.text().catch(() => "");
  }
  upstream.answer(answerWith("one two three four five", usage(10, 5)));
  const day = async () => {
    await gateway.runtime.modelHours.flush();
    return (await counting().traffic()).get(model)?.day;
  };
  await until(async () => (await day())?.calls === 25);
  expect((await day())?.uptime).toBe(0.8);
});

test("processes add to the same hour, the day has the last 24 hours, and the week those of seven days", async () => {
  const modelId = await newModel();
  const now = new Date();
  const hoursAgo = (hours: number) => counting(() => new Date(now.getTime() - hours * 3_600_000));
  const processes = [counting(), counting(), hoursAgo(30), hoursAgo(24 * 7 + 2)];
  for (const hours of processes) {
    for (let call = 0; call < 20; call++) {
      hours.note({ modelId, ...ok });
    }
  }
  await Promise.all(processes.map((hours) => hours.flush()));
  const { day, week } = (await counting().traffic()).get(modelId) ?? {};
  expect(day).toMatchObject({ calls: 40, uptime: 1, tokensPerSecond: 100 });
  expect(week?.calls).toBe(60);
  expect((day?.latencyMs ?? 0) / 500).toBeCloseTo(1, 0);
});

test("counts wait while the database refuses them, and old hours are deleted", async () => {
  const modelId = await newModel();
  const sql = sqlOf(gateway.runtime.db);
  const hours = counting();
  hours.note({ modelId, ...ok });
  await sql`alter table model_hours rename to model_hours_away`;
  await hours.flush();
  await sql`alter table model_hours_away rename to model_hours`;
  await hours.flush();
  const kept = () => sql`select calls::int from model_hours where model_id = ${modelId}`;
  expect(await kept()).toEqual([{ calls: 1 }]);
  await sql`update model_hours set hour = hour - interval '9 days' where model_id = ${modelId}`;
  await hours.tidy();
  expect(await kept()).toEqual([]);
});

test("an owner sees shares and medians of a model, never how many calls others make, and too few calls say nothing", async () => {
  const { accountId } = await gateway.customer();
  const [busy, quiet] = [await newModel(), await newModel()];
  const hours = counting();
  for (let call = 0; call < 997; call++) {
    hours.note({ modelId: busy, ...ok, isOk: call !== 0 });
  }
  for (let call = 0; call < 19; call++) {
    hours.note({ modelId: quiet, ...ok });
  }
  await hours.flush();
  const fresh = { ...gateway.runtime, modelHours: counting() };
  const owner = await callerFor({ ...gateway, runtime: fresh }, { role: "owner", accountId });
  const listed = await owner.models.list();
  const shown = (id: string) => listed.find((model) => model.id === id)?.traffic;
  expect(shown(quiet)).toBeNull();
  expect(shown(busy)).toEqual({
    ...{ over: "day", uptime: 0.999, tokensPerSecond: 100 },
    latencyMs: expect.any(Number),
  });
  const operator = await callerFor({ ...gateway, runtime: fresh }, { role: "operator" });
  expect((await operator.prices.traffic({ id: busy })).day.calls).toBe(997);
});
