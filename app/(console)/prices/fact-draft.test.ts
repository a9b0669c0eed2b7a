import { expect, test } from "vitest";
import { emptyFacts, factDraftOf, factTerms, isWindow, withoutUnknown } from "./fact-draft";

const facts = {
  ...{ contextWindow: 200_000, inputModalities: ["text" as const], outputModalities: null },
  ...{ hasTools: true, hasThinking: null },
};

test.each([
  ["chat", facts],
  ["embedding", { contextWindow: 200_000 }],
  ["video", {}],
] as const)(
  "a model of the kind %s is sent only with the facts of its kind, as they were read",
  (kind, expected) => {
    expect(factTerms({ ...factDraftOf(facts), kind })).toEqual(expected);
  },
);

test("an emptied fact is unknown, and a new model takes it from the public lists", () => {
  const model = { hedgeAfterMs: null, ...factTerms({ ...emptyFacts, kind: "chat", hasTools: false }) };
  expect(model).toMatchObject({ contextWindow: null, inputModalities: null, hasThinking: null });
  expect(withoutUnknown(model)).toEqual({ hedgeAfterMs: null, hasTools: false });
});

test.each([
  ["", true],
  [" 200000 ", true],
  ["0", false],
  ["1.5", false],
  ["200k", false],
  ["100000001", false],
])("the window %j can be sent: %j", (text, can) => {
  expect(isWindow(text)).toBe(can);
});
