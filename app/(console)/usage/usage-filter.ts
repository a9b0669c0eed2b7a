import type { inferRouterOutputs } from "@trpc/server";
import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { addresses } from "@/app/addresses";
import type { AppRouter } from "@/server/console";
import { keyAndModelOf, type UsageBy, usageGroups } from "@/server/domain/enums";
import { measures, spendViews } from "../_components/charts/spend-series";
import type { Trpc } from "../_components/data/prefetch";
import { askedSpan, spanParsers } from "../_components/fields/span-parameters";

export type UsageSide = "owner" | "operator";

export type UsageFigures = inferRouterOutputs<AppRouter>["usage"]["show"];
export type UsageRow = UsageFigures["rows"][number];

/** In the address, so that a view can be bookmarked and shared. */
export const usageParsers = {
  by: parseAsStringLiteral(usageGroups).withDefault("model"),
  ...spanParsers,
  account: parseAsString,
  measure: parseAsStringLiteral(measures).withDefault("cost"),
  view: parseAsStringLiteral(spendViews).withDefault("chart"),
};

export type UsageParameters = inferParserType<typeof usageParsers>;

/** The groupings of each side: an owner has only one account. */
export const groupsOf = (side: UsageSide): readonly UsageBy[] =>
  usageGroups.filter((by) => side === "operator" || by !== "account");

const inputOf = ({ by, ...parameters }: UsageParameters) => ({ by, ...askedSpan(parameters) });

/** The address of the same data as a file. */
export function usageFile(side: UsageSide, parameters: UsageParameters): string {
  const accountId = (side === "operator" && parameters.account) || undefined;
  const query = Object.entries({ ...inputOf(parameters), accountId }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return addresses.exported(side === "owner" ? "usage" : "all-usage", Object.fromEntries(query));
}

/** The usage of an account, or of all accounts. */
export const usageQueries = (trpc: Trpc, parameters: UsageParameters) => ({
  owner: trpc.usage.show.queryOptions(inputOf(parameters)),
  operator: trpc.allUsage.show.queryOptions({
    ...inputOf(parameters),
    accountId: parameters.account ?? undefined,
  }),
});

/** The address of another span with the same grouping and measure. */
export function usageOf(
  side: UsageSide,
  days: { from: string; to: string },
  { by, account, measure, view }: Pick<UsageParameters, "by" | "account" | "measure" | "view">,
): string {
  const parameters = {
    ...(measure !== "cost" && { measure }),
    ...(view !== "chart" && { view }),
    ...(account !== null && { account }),
  };
  const to = { by, ...days, ...parameters };
  return side === "owner" ? addresses.usage(to) : addresses.allUsage(to);
}

type Within = { from: string; until: string };
type UsageGrouping = { side: UsageSide; by: UsageBy; account: string | null };

/** A group as parameters of the lists of calls. */
function groupIn(by: UsageBy, id: string): { key?: string; model?: string; account?: string } {
  if (by !== "key_model") {
    return { [by]: id };
  }
  const { keyId, modelId } = keyAndModelOf(id);
  return { ...(keyId && { key: keyId }), ...(modelId && { model: modelId }) };
}

/** The address of a group's calls, or (`id` null) of the calls of all groups. */
export function callsOf(
  { side, by, account }: UsageGrouping,
  id: string | null,
  within: Within & { sort?: string },
): string {
  const query = { account: account ?? undefined, ...(id !== null && groupIn(by, id)), ...within };
  return side === "owner" ? addresses.requests(query) : addresses.allRequests(query);
}

/** The hour that begins at a point of a chart (`2026-05-31T08`). */
export function hourAt(point: string): Within {
  const from = new Date(`${point}:00:00Z`);
  return { from: from.toISOString(), until: new Date(from.getTime() + 3_600_000).toISOString() };
}

/** The days of a month (`2026-05`). */
export function daysOfMonth(month: string): { from: string; to: string } {
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0));
  return { from: `${month}-01`, to: last.toISOString().slice(0, 10) };
}
