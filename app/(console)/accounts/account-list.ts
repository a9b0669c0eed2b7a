import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { accountSorts, statuses } from "@/server/domain/enums";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";

/** In the address, so that a filtered list can be bookmarked and shared. */
export const accountParsers = {
  search: parseAsString.withDefault(""),
  status: parseAsStringLiteral(statuses),
  /** A price group's identifier. */
  group: parseAsString,
  sort: parseAsStringLiteral(accountSorts).withDefault("-created"),
};

type AccountFilter = inferParserType<typeof accountParsers>;

export const accountList = (trpc: Trpc, { search, status, group, sort }: AccountFilter) =>
  trpc.accounts.list.infiniteQueryOptions(
    { ...(search && { search }), ...(status && { status }), ...(group && { priceGroupId: group }), sort },
    paged,
  );

export const accountKeyList = (trpc: Trpc, accountId: string) =>
  trpc.accounts.keys.list.infiniteQueryOptions({ accountId }, paged);
