import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatMoney, nanos } from "@/server/base/money";
import { gate } from "@/tests/support/gate";
import { postTo, serverEnvironment } from "@/tests/support/gateway";
import { perFile, servedModel } from "@/tests/support/per-file";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const CALLS = 200;
const AFFORDABLE = 20;
const MAX_TOKENS = 1_000;
/** Input is free and the upstream always uses all of `max_tokens`, so a call costs exactly its hold. */
const OUTPUT_PRICE = 2_000_000_000n;
const COST = (BigInt(MAX_TOKENS) * OUTPUT_PRICE) / 1_000_000n;

const answer = answerWith("well spent", usage(10, MAX_TOKENS));
const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answer));
const model = servedModel({ gateway, upstream }, { inputPrice: nanos(0n), outputPrice: nanos(OUTPUT_PRICE) });
let servers: ServerProcess[];

beforeAll(async () => {
  const env = serverEnvironment(gateway.databaseUrl);
  servers = await Promise.all([startServer(env), startServer(env)]);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

const call = (server: ServerProcess, secret: string, more: object = {}) =>
  postTo(server.url)(secret, "chat/completions", {
    ...{ model, max_tokens: MAX_TOKENS, messages: [{ role: "user", content: "hi" }], ...more },
  });

describe("two processes on one database", () => {
  test.each([
    { name: "JSON", stream: false },
    { name: "streams", stream: true },
  ])("sell an account no more than it has, to the last nano-unit: $name", async ({ stream }) => {
    const { open, opened } = gate();
    upstream.answer(async (...args) => {
      await opened;
      await answer(...args);
    });
    const before = upstream.requests.length;
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
      // Every call is decided, and none has been answered yet: all the money is frozen.
      await until(() => statuses.length + upstream.requests.length - before >= CALLS, 30_000);
      expect({ refused: count(402), asked: upstream.requests.length - before }).toEqual({
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
      open();
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
});
