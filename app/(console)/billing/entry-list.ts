import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { entryKinds } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";

/** The parameters in the address. */
export const billingParsers = { month: parseAsString, kind: parseAsStringLiteral(entryKinds) };

type Parameters = inferParserType<typeof billingParsers>;

/** The month to show: the one that the link names if the account has it, else the newest. */
export const chosenPeriod = (periods: string[], month: Parameters["month"]): string | undefined =>
  periods.find((period) => period === month) ?? periods[0];

export const entryList = (trpc: Trpc, { period, kind }: { period: string } & Pick<Parameters, "kind">) =>
  trpc.billing.entries.infiniteQueryOptions({ period, kind: kind ?? undefined }, paged);
