import fc from "fast-check";
import { expect, test } from "vitest";
import type { PaymentState } from "@/server/domain/enums";
import { type CheckoutOutcome, stateAfter } from "./state";

const outcomes: CheckoutOutcome[] = ["paid", "amiss", "processing", "failed", "expired"];
const afterAll = (messages: CheckoutOutcome[]): PaymentState =>
  messages.reduce<PaymentState>((state, outcome) => stateAfter(state, outcome), "open");

test.each<[PaymentState, CheckoutOutcome, PaymentState]>([
  ["open", "processing", "processing"],
  ["open", "expired", "expired"],
  ["processing", "failed", "failed"],
  ["processing", "expired", "processing"],
  ["failed", "processing", "failed"],
  ["expired", "paid", "paid"],
  ["failed", "paid", "paid"],
  ["paid", "failed", "paid"],
  ["paid", "amiss", "paid"],
  ["open", "amiss", "review"],
  ["review", "expired", "review"],
  ["review", "paid", "paid"],
])("%s after %s becomes %s", (state, outcome, then) => {
  expect(stateAfter(state, outcome)).toBe(then);
});

test("money that has arrived stays, in any order and with any repeats of events", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...outcomes)), (messages) => {
      expect(afterAll(messages) === "paid").toBe(messages.includes("paid"));
      expect(afterAll(messages)).toBe(afterAll([...messages, ...messages]));
    }),
  );
});
