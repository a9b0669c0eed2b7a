import type { inferRouterOutputs } from "@trpc/server";
import { type inferParserType, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import { addresses } from "@/app/addresses";
import type { AppRouter } from "@/server/console";
import { type MarginBy, marginGroups, type Permission } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { askedSpan, spanParsers } from "../_components/fields/span-parameters";

type Prices = inferRouterOutputs<AppRouter>["prices"];
export type Margin = Prices["margin"];
export type MarginRow = Margin["rows"][number];
export type CostRow = Prices["costs"][number];

/** The parameters that a saved view keeps. */
export const viewParsers = {
  ...spanParsers,
  by: parseAsStringLiteral(marginGroups).withDefault("model"),
};

export const marginParsers = {
  ...viewParsers,
  import: parseAsBoolean.withDefault(false),
};

export type MarginParameters = inferParserType<typeof marginParsers>;

export const marginQuery = (trpc: Trpc, { by, ...parameters }: MarginParameters) =>
  trpc.prices.margin.queryOptions({ by, ...askedSpan(parameters) });

/** The margin as a share of the charges; null: nothing was charged. */
export const marginShare = ({ amount, margin }: { amount: string; margin: string }): number | null =>
  Number(amount) === 0 ? null : Number(margin) / Number(amount);

/** The page of a group, and the permission that it requires. */
export function placeOf(by: MarginBy, id: string): { href: string; to: Permission } {
  const places = { model: addresses.price, channel: addresses.channel, account: addresses.account };
  return { href: places[by](id), to: by === "channel" ? "channels.read" : "staff.read" };
}
