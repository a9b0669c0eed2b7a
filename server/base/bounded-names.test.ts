import { expect, test } from "vitest";
import { boundedLabels, boundedNames, boundedPairs } from "./bounded-names";

test('names beyond the bound become "other", and earlier names stay', () => {
  const named = boundedNames(2);
  expect(["a", "b", "c", "a", "d", "b"].map(named)).toEqual(["a", "b", "other", "a", "other", "b"]);
});

test("a thousand models on a thousand channels make no more series than the bounds allow", () => {
  const paired = boundedPairs();
  const labels = new Set<string>();
  const [models, channels] = [new Set<string>(), new Set<string>()];
  for (let index = 0; index < 1_000_000; index++) {
    const { model, channel } = paired({ model: `m${index % 1000}`, channel: `c${Math.floor(index / 1000)}` });
    labels.add(`${model} ${channel}`);
    models.add(model);
    channels.add(channel);
  }
  expect(labels.size).toBeLessThanOrEqual(501);
  expect(models.size).toBeLessThanOrEqual(201);
  expect(channels.size).toBeLessThanOrEqual(201);
  expect(paired({ model: "m0", channel: "c0" })).toEqual({ model: "m0", channel: "c0" });
});

test("sets of labels beyond the bound lose their names, and keep the rest", () => {
  const labelsOf = boundedLabels(["model"], 2);
  const sets = ["a", "b", "c", "a"].map((model) => labelsOf({ model, error: "timeout" }));
  expect(sets.map(({ model }) => model)).toEqual(["a", "b", "other", "a"]);
  expect(new Set(sets.map(({ error }) => error))).toEqual(new Set(["timeout"]));
});
