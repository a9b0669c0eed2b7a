import { expect, test } from "vitest";
import type { Offer } from "../channel";
import { figuresOf, namesIn, saleOf, saleProblemsOf, startingDraft, testedOf } from "./sale-draft";

const decimal = (price: string) => price as Offer["prices"][number]["price"];
const offer = (upstreamName: string, more: Partial<Offer> = {}): Offer => ({
  ...{ upstreamName, modelId: upstreamName, kind: "chat", stand: "new", isServed: false, isSnapshot: false },
  ...{ contextWindow: 1_000, maxOutputTokens: 32_768, prices: [] },
  listPrices: [
    { name: "input", price: decimal("2") },
    { name: "output", price: decimal("8") },
  ],
  ...more,
});
const dollars = { list: "USD", own: "USD" };
const unlisted = offer("of-tomorrow", { listPrices: [] });
const offers = [
  offer("gpt-4.1"),
  offer("gpt-4.1-2025-04-14", { isSnapshot: true }),
  offer("served", { isServed: true }),
  offer("taken", { stand: "otherKind" }),
  unlisted,
];

test("what can be sold at once is chosen at first, a dated name is not", () => {
  expect([...startingDraft(offers).chosen]).toEqual(["gpt-4.1"]);
});

test("cost, price and margin follow the factors, to the nano", () => {
  const draft = { ...startingDraft(offers), costFactor: "0.6" };
  expect(figuresOf(offer("a"), draft, dollars)).toEqual({
    listed: { input: 2_000_000_000n, output: 8_000_000_000n },
    cost: { input: 1_200_000_000n, output: 4_800_000_000n },
    price: { input: 2_400_000_000n, output: 9_600_000_000n },
    margin: 0.5,
  });
  const yuan = { list: "USD", own: "CNY" };
  expect(figuresOf(offer("a"), draft, yuan).price).toEqual({ input: null, output: null });
  expect(figuresOf(offer("a"), { ...draft, rate: "7.1" }, yuan).price.input).toBe(17_040_000_000n);
});

test("a model on sale keeps its price, whatever the factor", () => {
  const prices = [{ name: "input", price: decimal("3") }];
  const { price } = figuresOf(offer("a", { stand: "onSale", prices }), startingDraft([]), dollars);
  expect(price).toEqual({ input: 3_000_000_000n, output: null });
});

test("the request names list prices and limits, and the typed price of a model without a list price", () => {
  const draft = {
    ...startingDraft(offers),
    chosen: new Set(["gpt-4.1", "of-tomorrow"]),
    typed: new Map([["of-tomorrow", { input: "1.50", output: "" }]]),
  };
  const { models, ...terms } = saleOf(draft, offers, dollars);
  expect(terms).toEqual({ priceFactor: "1.2", costFactor: "1" });
  expect(models).toMatchObject([
    { modelId: "gpt-4.1", maxOutputTokens: 32_768, listPrices: [{ name: "input" }, { name: "output" }] },
    { modelId: "of-tomorrow", prices: [{ name: "input", price: "1.5" }] },
  ]);
  expect(models[1]).not.toHaveProperty("listPrices");
});

test("a wrong factor, a missing rate, a wrong price and an empty choice each are a problem", () => {
  const context = { offers, currencies: { list: "USD", own: "CNY" } };
  const draft = { ...startingDraft(offers), priceFactor: "1,2" };
  expect(saleProblemsOf(draft, context)).toEqual({ priceFactor: "factor", rate: "rate", typed: new Map() });
  const typed = new Map([["of-tomorrow", { input: "-1", output: "" }]]);
  const wrong = { ...draft, priceFactor: "1.2", rate: "7", typed, chosen: new Set(["of-tomorrow"]) };
  expect(saleProblemsOf(wrong, context).typed.get("of-tomorrow")).toBe("price");
  expect(saleProblemsOf({ ...wrong, chosen: new Set() }, context).chosen).toBe("noModel");
});

test("the cheapest conversation is tested", () => {
  const cheap = offer("mini", { listPrices: [{ name: "input", price: decimal("0.4") }] });
  const embedding = offer("embed", {
    kind: "embedding",
    listPrices: [{ name: "input", price: decimal("0.02") }],
  });
  const all = [offer("gpt-4.1"), cheap, embedding];
  expect(testedOf(startingDraft(all), all)?.upstreamName).toBe("mini");
  expect(testedOf(startingDraft([embedding]), [embedding])?.upstreamName).toBe("embed");
  expect(testedOf(startingDraft([]), all)).toBeNull();
});

test("pasted names may come from a list, a table or JSON", () => {
  expect(namesIn('["a", "b/c"]\n d, a')).toEqual(["a", "b/c", "d"]);
});
