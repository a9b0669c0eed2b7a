import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { keyStates, sparkSpans } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";

/** In the address, so that a filtered list can be bookmarked and shared. */
export const keyParsers = {
  search: parseAsString.withDefault(""),
  status: parseAsStringLiteral(keyStates),
  span: parseAsStringLiteral(sparkSpans).withDefault("hours"),
};

export type KeyFilter = inferParserType<typeof keyParsers>;

export const keyList = (trpc: Trpc, { search, status, span }: KeyFilter) =>
  trpc.keys.list.infiniteQueryOptions(
    { search: search || undefined, status: status ?? undefined, span },
    paged,
  );
