import { expect, test } from "vitest";
import { fittingLimit } from "./ceiling";

test.each([
  { of: "the whole affordable answer fits", window: 200_000, paid: 64_000, input: 100_000, is: 64_000 },
  { of: "a prompt leaves less", window: 200_000, paid: 64_000, input: 120_000, is: 43_968 },
  { of: "a window of the length of the answer", window: 8_192, paid: 8_192, input: 1_000, is: 6_860 },
  { of: "a prompt that seems not to fit", window: 200_000, paid: 64_000, input: 250_000, is: 4_096 },
  { of: "less is affordable than fits", window: 200_000, paid: 1_024, input: 250_000, is: 1_024 },
  { of: "the window is unknown", window: null, paid: 64_000, input: 9_000_000, is: 64_000 },
  {
    of: "the client named a limit",
    window: 200_000,
    paid: 64_000,
    input: 150_000,
    named: 64_000,
    is: 64_000,
  },
])("$of: the limit is $is", ({ window: contextWindow, paid, input: inputTokens, named = null, is }) => {
  const model = { contextWindow, maxOutputTokens: 64_000 };
  expect(fittingLimit(model, { named, paid, inputTokens })).toBe(is);
});
