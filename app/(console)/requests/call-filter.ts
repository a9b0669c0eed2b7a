import {
  type inferParserType,
  parseAsBoolean,
  parseAsIsoDateTime,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { dayOf } from "@/server/domain/days";
import { callSorts } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";
import type { CallQuery } from "./call";

const HOUR_MS = 3_600_000;

const rangesMs = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, month: 30 * 24 * HOUR_MS };

export const ranges = ["hour", "day", "week", "month", "custom"] as const;
export type Range = (typeof ranges)[number];

export const callStatuses = ["ok", "failed"] as const;

/** In the address, so that a filtered list or a request can be bookmarked and shared. */
export const callParsers = {
  key: parseAsString,
  model: parseAsString,
  endpoint: parseAsString,
  status: parseAsStringLiteral(callStatuses),
  range: parseAsStringLiteral(ranges),
  from: parseAsIsoDateTime,
  until: parseAsIsoDateTime,
  id: parseAsString,
  account: parseAsString,
  channel: parseAsString,
  sort: parseAsStringLiteral(callSorts).withDefault("-time"),
  live: parseAsBoolean.withDefault(false),
  /** The request whose details are open. */
  request: parseAsString.withOptions({ history: "push" }),
};

const { live: _, request: __, ...filterAndOrder } = callParsers;

/** The parameters that a saved view keeps. */
export const viewParsers = filterAndOrder;

export type CallParameters = inferParserType<typeof callParsers>;

export const noFilter = {
  key: null,
  model: null,
  endpoint: null,
  status: null,
  range: null,
  from: null,
  until: null,
  id: null,
  account: null,
  channel: null,
} as const;

/** A link may name moments without a range. */
export const rangeOf = ({ range, from, until }: Pick<CallParameters, "range" | "from" | "until">) =>
  from || until ? "custom" : range;

/** The parameters that a new range changes. A custom range starts with the last day. */
export const chooseRange = (range: Range | null, now: number) => ({
  range,
  from: range === "custom" ? new Date(now - rangesMs.day) : null,
  until: null,
});

const DAY_HOURS = 25;

/** The day of the billing zone (YYYY-MM-DD) in which two moments are, such as those of a chart's column; null: none. */
export function dayOfSpan(
  { from, until }: Pick<CallParameters, "from" | "until">,
  timeZone: string,
): string | null {
  if (from === null || until === null || until.getTime() - from.getTime() > DAY_HOURS * HOUR_MS) {
    return null;
  }
  const day = dayOf(from, timeZone);
  return day === dayOf(until.getTime() - 1, timeZone) ? day : null;
}

/**
 * The parameters as the query's input. `now`: when the range was chosen, so that all pages of a list cover the same
 * range.
 */
export function toQuery(
  parameters: CallParameters,
  now: number,
): CallQuery & { accountId?: string; channelId?: string } {
  const { key, model, endpoint, status, id, account, channel, until } = parameters;
  const range = rangeOf(parameters);
  const from = range === null || range === "custom" ? parameters.from : new Date(now - rangesMs[range]);
  return {
    ...(key && { keyId: key }),
    ...(model && { modelId: model }),
    ...(endpoint && { endpoint }),
    ...(status && { status }),
    ...(from && { from: from.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(id && { requestId: id }),
    ...(account && { accountId: account }),
    ...(channel && { channelId: channel }),
  };
}

/** The requests of an account, or of all accounts. */
export const callLists = (
  trpc: Trpc,
  filter: ReturnType<typeof toQuery>,
  { sort }: Pick<CallParameters, "sort">,
) => {
  const { accountId: _, channelId: __, ...own } = filter;
  return {
    owner: trpc.calls.list.infiniteQueryOptions({ ...own, sort }, paged),
    operator: trpc.allCalls.list.infiniteQueryOptions({ ...filter, sort }, paged),
  };
};
