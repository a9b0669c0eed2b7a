import { expect, test } from "vitest";
import { customerText } from "./customer-text";

const names = {
  ...{ id: "Request ID", time: "Time", model: "Model" },
  ...{ happened: "What happened", money: "Charge", advice: "What to do" },
};
const call = {
  ...{ requestId: "req_1", startedAt: "2026-11-27T14:03:05.123Z", modelId: "claude-sonnet" },
  ...{ happened: "Rejected by the upstream", money: "Nothing was charged.", advice: "Change the request." },
};

test("the text for a customer says which request, when, what happened, what it cost and what to do", () => {
  expect(customerText(call, names)).toBe(`Request ID: req_1
Time: 2026-11-27 14:03:05 UTC
Model: claude-sonnet
What happened: Rejected by the upstream
Charge: Nothing was charged.
What to do: Change the request.`);
});

test("a request without a model has no line for it", () => {
  expect(customerText({ ...call, modelId: null }, names)).not.toContain("Model");
});
