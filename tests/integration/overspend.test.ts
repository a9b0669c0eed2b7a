import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setAccountStatus, setKeyStatus } from "@/server/access";
import type { AccountId, KeyId } from "@/server/base/ids";
import { formatMoney, nanos } from "@/server/base/money";
import { serverEnvironment, type TestGateway } from "@/tests/support/gateway";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";
import { type Answer, answerWith, type FakeUpstream, startUpstream, usage } from "@/tests/support/upstream";

const CALLS = 200;
const AFFORDABLE = 20;
const MAX_TOKENS = 1_000;
/** Input is free and the upstream always uses up `max_tokens`: a call costs exactly what it froze. */
const OUTPUT_PRICE = 2_000_000_000n;
const COST = (BigInt(MAX_TOKENS) * OUTPUT_PRICE) / 1_000_000n;

let gateway: TestGateway;
let servers: ServerProcess[];
let upstream: FakeUpstream;
let model: string;

const answer = answerWith("well spent", usage(10, MAX_TOKENS));

beforeAll(async () => {
  gateway = await sharedGateway();
  const env = serverEnvironment(gateway.databaseUrl);
  [upstream, servers] = await Promise.all([
    startUpstream(answer),
    Promise.all([startServer(env), startServer(env)]),
  ]);
  model = await gateway.model({ inputPrice: nanos(0n), outputPrice: nanos(OUTPUT_PRICE) });
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await upstream.close();
  await gateway.close();
});

const call = (server: ServerProcess, secret: string, more: object = {}) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      max_tokens: MAX_TOKENS,
      messages: [{ role: "user", content: "hi" }],
      ...more,
    }),
  });

/** An upstream that answers nobody until it is opened. */
function gated(): { answer: Answer; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    answer: async (...args) => {
      await opened;
      await answer(...args);
    },
    open,
  };
}

describe("two processes on one database", () => {
  test.each([
    { name: "JSON", stream: false },
    { name: "streams", stream: true },
  ])("sell an account no more than it has, to the last nano-unit: $name", async ({ stream }) => {
    const gate = gated();
    upstream.answer(gate.answer);
    const before = upstream.asked.length;
    const customer = await gateway.customer({ quota: formatMoney(nanos(COST * BigInt(AFFORDABLE))) });
    const statuses: number[] = [];
    const bodies = Promise.all(
      Array.from({ length: CALLS }, async (_, index) => {
        const server = servers[index % servers.length] as ServerProcess;
        const response = await call(server, customer.secret, { stream });
        statuses.push(response.status);
        return await response.text();
      }),
    );
    const count = (status: number) => statuses.filter((each) => each === status).length;
    try {
      // Every call is decided, and nobody has been answered yet: the money is all frozen.
      await until(() => statuses.length + upstream.asked.length - before >= CALLS, 30_000);
      expect({ refused: count(402), asked: upstream.asked.length - before }).toEqual({
        refused: CALLS - AFFORDABLE,
        asked: AFFORDABLE,
      });
      expect(await gateway.balance(customer.accountId)).toMatchObject({
        used: 0n,
        frozen: COST * BigInt(AFFORDABLE),
        available: 0n,
      });
      expect(await gateway.verify()).toEqual([]);
    } finally {
      gate.open();
    }
    const whole = (await bodies).filter((body) => body.includes(stream ? "data: [DONE]" : '"usage"'));
    expect({ paid: count(200), refused: count(402), whole: whole.length }).toEqual({
      paid: AFFORDABLE,
      refused: CALLS - AFFORDABLE,
      whole: AFFORDABLE,
    });
    expect(await gateway.balance(customer.accountId)).toMatchObject({
      used: COST * BigInt(AFFORDABLE),
      frozen: 0n,
      available: 0n,
    });
    const entries = await gateway.entries(customer.accountId);
    expect(entries).toHaveLength(AFFORDABLE);
    expect(new Set(entries.map((entry) => `${entry.kind} ${entry.amount}`))).toEqual(
      new Set([`capture ${COST}`]),
    );
    expect(await gateway.verify()).toEqual([]);
  });

  test.each([
    {
      name: "a key",
      message: "API Key 已被禁用",
      disable: (customer: { keyId: KeyId }) =>
        setKeyStatus(gateway.runtime.db, { keyId: customer.keyId, status: "disabled" }),
    },
    {
      name: "an account",
      message: "账号已被禁用",
      disable: (customer: { accountId: AccountId }) =>
        setAccountStatus(gateway.runtime.db, { accountId: customer.accountId, status: "disabled" }),
    },
  ])("refuse $name that a third one disabled within a second", async ({ disable, message }) => {
    upstream.answer(answer);
    const customer = await gateway.customer();
    for (const server of servers) {
      expect((await call(server, customer.secret)).status).toBe(200);
    }
    await disable(customer);
    await Promise.all(
      servers.map((server) =>
        until(async () => {
          const response = await call(server, customer.secret);
          const body = (await response.json()) as { message?: string };
          return response.status === 403 && body.message === message;
        }, 1_000),
      ),
    );
  });
});
