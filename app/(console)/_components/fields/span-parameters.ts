import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { usageRanges } from "@/server/domain/enums";

export const shownRanges = [...usageRanges, "custom"] as const;

/** A span in the address, so that a view can be bookmarked and shared. */
export const spanParsers = {
  range: parseAsStringLiteral(shownRanges).withDefault("month"),
  from: parseAsString,
  to: parseAsString,
};

export type SpanParameters = inferParserType<typeof spanParsers>;

/** A day as an address and a native input write it; undefined if the text is not a day. */
export const dayIn = (text: string | null): string | undefined =>
  text !== null && /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

/** A link may name days without a range. */
export const rangeOf = ({ range, from, to }: SpanParameters) =>
  dayIn(from) !== undefined || dayIn(to) !== undefined ? "custom" : range;

/** The span as an input of a query. */
export function askedSpan(parameters: SpanParameters) {
  const range = rangeOf(parameters);
  return range === "custom" ? { from: dayIn(parameters.from), to: dayIn(parameters.to) } : { range };
}
