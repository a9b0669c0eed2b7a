import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import type { Trpc } from "../_components/data/prefetch";
import { askedSpan, type SpanParameters } from "../_components/fields/span-parameters";

export type UnusualDay = NonNullable<inferRouterOutputs<AppRouter>["usage"]["unusualDay"]>;

/** The days of an owner's overview. */
export const last30Days: SpanParameters = { range: "30-days", from: null, to: null };

/** The last day of a span that was far above the usual of an account. */
export const unusualDayQueries = (trpc: Trpc, span: SpanParameters, account: string | null) => ({
  owner: trpc.usage.unusualDay.queryOptions(askedSpan(span)),
  operator: trpc.allUsage.unusualDay.queryOptions({
    ...askedSpan(span),
    accountId: account ?? undefined,
  }),
});
