import { describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("It floats.")));

const include = { usage: { include: true } };
const bodies = {
  "chat/completions": { messages: [{ role: "user", content: "What floats?" }] },
  messages: { messages: [{ role: "user", content: "What floats?" }], max_tokens: 50 },
  responses: { input: "What floats?", store: false },
  completions: { prompt: "What floats?" },
};
const paths = Object.keys(bodies) as (keyof typeof bodies)[];

async function setUp() {
  upstream.asked.length = 0;
  const unitPrices = [{ unit: "request", price: parseMoney("0.5") ?? nanos(0n) }];
  const model = await gateway.model({ unitPrices });
  await gateway.channel({ model, models: { [model]: "vendors-own" }, baseUrl: upstream.baseUrl });
  const customer = await gateway.customer();
  const post = (path: string, fields: object) =>
    fetch(`${gateway.url}/v1/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${customer.secret}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify({ model, ...fields }),
    });
  return { post, ...customer };
}

/** 10 tokens in at 1 per million, 5 out at 2, and the request. */
const COST = 0.50002;

/** What the last object of an answer with a `cost` in its usage says, wherever its dialect has its usage. */
const costsIn = (text: string) => [...text.matchAll(/"cost":([\d.e-]+)/g)].map(([, cost]) => Number(cost));

describe.each(paths)("what /v1/%s tells of the cost", (path) => {
  test("is what was charged, in a whole answer and its header", async () => {
    const { post, accountId } = await setUp();
    const response = await post(path, { ...bodies[path], ...include });
    expect(response.headers.get("x-tollgate-cost")).toBe("0.50002");
    expect(costsIn(await response.text())).toEqual([COST]);
    expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", amount: 500_020_000n }]);
    expect(upstream.asked[0]?.body).not.toHaveProperty("usage");
  });

  test("is at the end of a stream, once", async () => {
    const { post, accountId } = await setUp();
    const text = await (await post(path, { ...bodies[path], ...include, stream: true })).text();
    expect(costsIn(text)).toEqual([COST]);
    expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", amount: 500_020_000n }]);
  });

  test("is nothing where nobody asked", async () => {
    const { post } = await setUp();
    const response = await post(path, bodies[path]);
    expect(response.headers.get("x-tollgate-cost")).toBeNull();
    expect(costsIn(await response.text())).toEqual([]);
    expect(costsIn(await (await post(path, { ...bodies[path], stream: true })).text())).toEqual([]);
  });
});
