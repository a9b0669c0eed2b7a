import { expect, test } from "vitest";
import { parseForwarded } from "@/server/protocol/forwarded/forwarded";
import { rerank } from "./rerank";

const results = [{ index: 1, relevance_score: 0.98 }];

function read(answer: object, documents: unknown[] = ["A stone sinks.", { text: "A boat floats." }]) {
  const raw = JSON.stringify({ model: "public", query: "What floats?", documents });
  const counted = rerank.readAnswer({ ...answer }, parseForwarded(raw, rerank.read));
  return counted;
}

test("search units that a vendor counts are charged, and the answer has the members of both forms", () => {
  const answer = read({ id: "r-1", results, meta: { billed_units: { search_units: 3 } } });
  expect(answer).toMatchObject({ source: "upstream", usage: { units: { rerank: 3 } } });
  const usage = { total_tokens: expect.any(Number) };
  expect(answer?.body).toMatchObject({ id: "r-1", model: "public", results, usage });
});

test("tokens that a vendor counts are charged, and Voyage's list becomes results", () => {
  const answer = read({ object: "list", data: results, usage: { total_tokens: 26 } });
  expect(answer).toMatchObject({ source: "upstream", usage: { inputTokens: 26 }, body: { results } });
});

test("without a vendor's counts the gateway counts the units", () => {
  const usage = { units: { rerank: 3 } };
  expect(read({ results }, Array(201).fill("text"))).toMatchObject({ source: "estimated", usage });
});

test.each([-1, 0.5, "1e9", Number.MAX_SAFE_INTEGER, 1e300, null, [], {}])(
  "an invalid count %j is replaced by an estimate",
  (count) => {
    const counts = { usage: { total_tokens: count }, meta: { billed_units: { search_units: count } } };
    expect(read({ results, ...counts })).toMatchObject({
      source: "estimated",
      usage: { units: { rerank: 1 } },
    });
  },
);
