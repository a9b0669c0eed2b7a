import { describe, expect, test } from "vitest";
import { nanos, parseMoney } from "@/server/base/money";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { staged } from "@/tests/support/per-file";
import { answerResponseWith, responseUsage } from "@/tests/support/responses-answer";
import { answerJson, answerWith, usage } from "@/tests/support/upstream";

const { gateway, upstream } = staged(answerWith("It floats."));

const include = { usage: { include: true } };
const bodies = {
  "chat/completions": { messages: [{ role: "user", content: "What floats?" }] },
  messages: { messages: [{ role: "user", content: "What floats?" }], max_tokens: 50 },
  responses: { input: "What floats?", store: false },
  completions: { prompt: "What floats?" },
};
const paths = Object.keys(bodies) as (keyof typeof bodies)[];

/** A vendor's statements about its own price, for the operator only. */
const vendors = {
  cost: 77,
  cost_details: { upstream_inference_cost: 77 },
  cost_in_usd_ticks: 77,
  totalCost: 777125,
  gateway: { cost_estimate: 777125 },
  is_byok: false,
};
const upstreams = {
  openai: answerWith("It floats.", { ...usage(10, 5), ...vendors }),
  anthropic: answerMessageWith("It floats.", { input_tokens: 10, output_tokens: 5, ...vendors }),
  "openai-responses": answerResponseWith("It floats.", { ...responseUsage(10, 5), ...vendors }),
};
type Adapter = keyof typeof upstreams;
const everyWay = paths.flatMap((path) =>
  (Object.keys(upstreams) as Adapter[]).map((adapter) => ({ path, adapter })),
);

const requestPrice = [{ unit: "request", price: parseMoney("0.5") ?? nanos(0n) }];

async function setUp({ adapter = "openai", tellsCost = false }: { adapter?: Adapter; tellsCost?: boolean }) {
  upstream.requests.length = 0;
  upstream.answer(upstreams[adapter]);
  const model = await gateway.model({ unitPrices: requestPrice });
  const { baseUrl } = upstream;
  await gateway.channel({ model, dialect: adapter, models: { [model]: "vendors-own" }, baseUrl });
  const customer = await gateway.customer({ tellsCost });
  const post = (path: string, fields: object) => gateway.post(customer.secret, path, { model, ...fields });
  return { post, ...customer };
}

/** 10 tokens in at 1 per million, 5 out at 2, and the price of the request. */
const COST = 0.50002;

/** Each `cost` in an answer, wherever its dialect has its usage. */
const costsIn = (text: string) => [...text.matchAll(/"cost":([\d.e-]+)/g)].map(([, cost]) => Number(cost));

const vendorsWords = /cost_details|cost_in_usd|is_byok|777125/;

describe.each(everyWay)("the cost that /v1/$path reports over a channel of $adapter", ({ path, adapter }) => {
  test.each([
    ["in a whole answer and its header", false],
    ["at the end of a stream, once", true],
  ])("is what was charged, %s", async (_where, stream) => {
    const { post, accountId } = await setUp({ adapter });
    const response = await post(path, { ...bodies[path], ...include, stream });
    expect(response.headers.get("x-tollgate-cost")).toBe(stream ? null : "0.50002");
    const text = await response.text();
    expect(costsIn(text)).toEqual([COST]);
    expect(text).not.toMatch(vendorsWords);
    expect(await gateway.entries(accountId)).toMatchObject([{ kind: "capture", amount: 500_020_000n }]);
    expect(upstream.requests[0]?.body).not.toHaveProperty("usage");
  });

  test("is absent if the client did not ask, and the vendor's own price reaches no client", async () => {
    const { post } = await setUp({ adapter });
    const response = await post(path, bodies[path]);
    expect(response.headers.get("x-tollgate-cost")).toBeNull();
    const whole = await response.text();
    const stream = { stream: true, stream_options: { include_usage: true } };
    const streamed = await (await post(path, { ...bodies[path], ...stream })).text();
    for (const text of [whole, streamed]) {
      expect(text).toContain('_tokens":5');
      expect(costsIn(text)).toEqual([]);
      expect(text).not.toMatch(vendorsWords);
    }
  });
});

describe("a key that always asks for the cost", () => {
  test.each(everyWay)("gets it from /v1/$path over $adapter", async ({ path, adapter }) => {
    const { post } = await setUp({ adapter, tellsCost: true });
    const response = await post(path, bodies[path]);
    expect(response.headers.get("x-tollgate-cost")).toBe("0.50002");
    expect(costsIn(await response.text())).toEqual([COST]);
  });

  test("gets no usage in a chat stream that asked for none", async () => {
    const { post } = await setUp({ tellsCost: true });
    const response = await post("chat/completions", { ...bodies["chat/completions"], stream: true });
    const text = await response.text();
    expect(text).toContain("floats");
    expect(text).not.toContain('"usage":{');
  });

  test("gets it from embeddings, too", async () => {
    const data = [{ object: "embedding", index: 0, embedding: [1] }];
    const counted = { prompt_tokens: 10, total_tokens: 10, ...vendors };
    upstream.answer(answerJson({ object: "list", data, usage: counted }));
    const model = await gateway.model({ kind: "embedding" });
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer({ tellsCost: true });
    const response = await gateway.post(secret, "embeddings", { model, input: "a" });
    expect(response.headers.get("x-tollgate-cost")).toBe("0.00001");
    expect(await response.text()).not.toMatch(vendorsWords);
  });
});
