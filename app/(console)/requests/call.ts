import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { type EndpointName, endpointPaths } from "@/server/base/facts";
import type { AppRouter } from "@/server/console";

type Outputs = inferRouterOutputs<AppRouter>;

/** Whose screen it is: an owner sees an account's requests, an operator everybody's, and what is behind them. */
export type Side = "owner" | "operator";

/** A request on screen. `account` and `channel` are there for operators. */
export type Call = Outputs["calls"]["list"]["rows"][number];

/** The same with why it was charged what it was. */
export type CallDetail = NonNullable<Outputs["calls"]["get"]>;

export type CallQuery = Omit<inferRouterInputs<AppRouter>["calls"]["list"], "cursor" | "sort">;

/** As documented; an endpoint of an older version by its name. */
export const pathOf = (endpoint: string): string =>
  Object.hasOwn(endpointPaths, endpoint) ? endpointPaths[endpoint as EndpointName] : endpoint;

/** Input of every class; null where nothing is paid by the token. */
export const inputTokens = ({ tokens }: Pick<Call, "tokens">): number | null =>
  tokens && tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.cacheWrite1h;
