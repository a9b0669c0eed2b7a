import { type inferParserType, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { keyStates } from "@/server/base/facts";
import { paged } from "../_components/pages-of";
import type { Trpc } from "../_components/prefetch";

/** In the address, so that a filtered list can be kept and sent. */
export const keyParsers = { search: parseAsString.withDefault(""), status: parseAsStringLiteral(keyStates) };

export type KeyFilter = inferParserType<typeof keyParsers>;

export const keyList = (trpc: Trpc, { search, status }: KeyFilter) =>
  trpc.keys.list.infiniteQueryOptions({ search: search || undefined, status: status ?? undefined }, paged);
