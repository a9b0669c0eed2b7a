import { type FlagValues, need, text } from "./command";

/** Flags of a table over a span of time: the groups of its rows, and a range or days. */
export const spanFlags = {
  by: { type: "string", required: true },
  range: { type: "string" },
  from: { type: "string" },
  to: { type: "string" },
} as const;

export const spanOf = (values: FlagValues) => ({
  by: need(values, "by"),
  range: text(values, "range"),
  from: text(values, "from"),
  to: text(values, "to"),
});
