import { expect, test } from "vitest";
import { createMeasuring } from "./measuring";
import type { ProcessMetrics, ToChild } from "./messages";

const counting = (value: number): ProcessMetrics => [
  { name: "calls", type: "counter", aggregator: "sum", values: [{ value }] },
];

test("of two concurrent measurements the later one's answer is kept, in any order of the answers", async () => {
  const messages: ToChild[] = [];
  const noted: ProcessMetrics[] = [];
  const { hear, measure } = createMeasuring(() => [{ send: (message) => messages.push(message) > 0 }], {
    note: (_, measured) => void noted.push(measured),
  });
  const looks = [measure(), measure()];
  const [first, second] = messages.map((message) => (message.kind === "measure" ? message.id : -1));
  hear("gateway-1", { kind: "measured", id: second ?? -1, metrics: counting(5) });
  hear("gateway-1", { kind: "measured", id: first ?? -1, metrics: counting(4) });
  await Promise.all(looks);
  expect(noted).toEqual([counting(5)]);
});

test("a measurement does not wait for ever, and a late answer counts for the next one", async () => {
  const messages: ToChild[] = [];
  const noted: string[] = [];
  const { hear, measure } = createMeasuring(
    () => [{ send: (message) => messages.push(message) > 0 }, { send: () => false }],
    { note: (name) => void noted.push(name) },
  );
  await measure();
  expect(noted).toEqual([]);
  const [late] = messages.map((message) => (message.kind === "measure" ? message.id : -1));
  hear("console", { kind: "measured", id: late ?? -1, metrics: counting(1) });
  expect(noted).toEqual(["console"]);
});
