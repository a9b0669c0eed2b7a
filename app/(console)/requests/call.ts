import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "@/server/console";
import { tokenClasses } from "@/server/pricing";

type ConsoleOutputs = inferRouterOutputs<AppRouter>;

/** The side of the screen: an owner sees an account's requests, an operator all requests and their attempts. */
export type RequestsSide = "owner" | "operator";

/** A request on screen. Only operators get `account` and `channel`. */
export type RequestRow = ConsoleOutputs["calls"]["list"]["rows"][number];

/** The request with the reasons for its charge. */
export type CallDetail = NonNullable<ConsoleOutputs["calls"]["get"]>;

export type CallQuery = Omit<inferRouterInputs<AppRouter>["calls"]["list"], "cursor" | "sort">;

/** Input tokens of all classes; null for calls that are not charged by tokens. */
export const inputTokens = ({ tokens }: Pick<RequestRow, "tokens">): number | null =>
  tokens && tokenClasses.reduce((sum, { name, field }) => sum + (name === "output" ? 0 : tokens[field]), 0);
