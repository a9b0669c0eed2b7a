import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { entryKinds } from "@/server/base/facts";
import { paged } from "../_components/pages-of";
import type { Trpc } from "../_components/prefetch";

/** In the address. */
export const billingParsers = { month: parseAsString, kind: parseAsStringLiteral(entryKinds) };

type Parameters = inferParserType<typeof billingParsers>;

/** A month that a link names and the account has not is not asked for: it is the newest then. */
export const chosenPeriod = (periods: string[], month: Parameters["month"]): string | undefined =>
  periods.find((period) => period === month) ?? periods[0];

export const entryList = (trpc: Trpc, { period, kind }: { period: string } & Pick<Parameters, "kind">) =>
  trpc.billing.entries.infiniteQueryOptions({ period, kind: kind ?? undefined }, paged);
