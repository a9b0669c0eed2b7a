import { describe, expect, test } from "vitest";
import { eventually } from "@/tests/support/eventually";
import { fakeChannels } from "@/tests/support/fake-channels";
import { type Answer, answerWith, refuseWith } from "@/tests/support/upstream";

const channels = fakeChannels();
const { start, ask, silent } = channels;

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

test("the client's own fault is not tried elsewhere", async () => {
  const [first, second] = [await start(refuseWith(400, "bad tools")), await start(answerWith("ok"))];
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: first.baseUrl, priority: 2 });
  await channels.gateway.channel({ model, baseUrl: second.baseUrl, priority: 1 });
  expect((await ask(model)).status).toBe(400);
  expect(second.asked.length).toBe(0);
});

test("an upstream that never answers is a 502 after its deadline, not a hang", async () => {
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: (await start(silent)).baseUrl });
  expect((await ask(model)).status).toBe(502);
});

test("a failed call gives the money back", async () => {
  const model = await channels.gateway.model();
  await channels.gateway.channel({ model, baseUrl: (await start(refuseWith(500))).baseUrl });
  const { secret, accountId } = await channels.gateway.customer();
  expect(
    (await channels.gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status,
  ).toBe(502);
  await eventually(() => channels.gateway.balance(accountId)).toMatchObject({ used: 0n, frozen: 0n });
  await eventually(() => channels.gateway.entries(accountId)).toMatchObject([
    { kind: "release", note: "upstreams_unavailable" },
  ]);
});
