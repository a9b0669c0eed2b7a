import { createParser, type inferParserType, parseAsString } from "nuqs/server";
import type { Trpc } from "../_components/data/prefetch";
import { paged } from "../_components/tables/pages-of";

/** `YYYY-MM-DD`, as native date inputs write it. */
const parseAsDay = createParser({
  parse: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: (day) => day,
});

/** The filters, as the address has them. Days are the reader's. */
export const auditParsers = {
  action: parseAsString,
  account: parseAsString,
  actor: parseAsString,
  target: parseAsString,
  from: parseAsDay,
  until: parseAsDay,
};

export type AuditFilter = inferParserType<typeof auditParsers>;

/** Midnight in the reader's zone, `days` after the given day. */
function midnight(day: string, days: number): string {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, (date ?? 1) + days).toISOString();
}

/** The filter as an input of the query. `until` includes its day, as the reader expects. */
export const toQuery = ({ action, account, actor, target, from, until }: AuditFilter) => ({
  ...(action && { action }),
  ...(account && { accountId: account }),
  ...(actor && { actor }),
  ...(target && { targetId: target }),
  ...(from && { from: midnight(from, 0) }),
  ...(until && { until: midnight(until, 1) }),
});

export const auditList = (trpc: Trpc, filter: AuditFilter) =>
  trpc.audit.list.infiniteQueryOptions(toQuery(filter), paged);
