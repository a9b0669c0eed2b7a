import { expect, test } from "vitest";
import type { GridRow } from "../prices/catalog";
import { type CostSources, costsOf, filled, LIST, namesOf } from "./cost-draft";

const listed = (name: string, price: string) =>
  ({ name, list: { price, currency: "USD", vendor: "openai", date: "2026-09-23" } }) as GridRow;
const sources: CostSources = {
  list: {
    currency: "USD",
    rows: [listed("input", "2"), listed("output", "8"), { name: "request", list: null } as GridRow],
  },
  byChannel: new Map([["chn_1", [{ name: "input", price: "1.5" }]]]),
  names: new Map([["chn_1", "other"]]),
};

test("costs are filled with the list times a factor and a rate, or with those of another channel", () => {
  expect(filled(sources, { from: LIST, factor: "0.6", rate: "1" })).toEqual({ input: "1.2", output: "4.8" });
  expect(filled(sources, { from: LIST, factor: "0.6", rate: "7.1" })).toEqual({
    input: "8.52",
    output: "34.08",
  });
  expect(filled(sources, { from: "chn_1", factor: "1", rate: "1" })).toEqual({ input: "1.5" });
});

test.each([
  { from: LIST, factor: "", rate: "1" },
  { from: LIST, factor: "0.6", rate: "x" },
  { from: "chn_2", factor: "1", rate: "1" },
])("nothing is filled from %j", (terms) => {
  expect(filled(sources, terms)).toBeNull();
});

test("an empty text is no cost, and a cost without a price keeps its field", () => {
  expect(costsOf({ input: "1.20", output: "" })).toEqual([{ name: "input", price: "1.2" }]);
  expect(namesOf([listed("input", "2")], { request: "1", input: "1" })).toEqual(["input", "request"]);
});
