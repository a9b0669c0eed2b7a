import { z } from "zod";
import { findAccountNames, findKeyNames, getAccount } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { inDecimals, nanos } from "@/server/base/money";
import { resolveSpan, spanBefore, totalUsage, usageByGroup, usageOverTime } from "@/server/billing";
import { keyAndModelOf, type UsageBy, usageGroups, usageRanges } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { AccountId as AccountIdInput } from "@/server/operations/schema";
import { type QueryContext, query } from "./query";

/** Groups beyond these are summed in one row. */
const ROWS = 100;
const DRAWN = 6;

export const Day = z.iso
  .date()
  .max("2026-05-31".length)
  .refine((text) => text >= "2000" && text < "2100");

type Sums = Omit<Awaited<ReturnType<typeof totalUsage>>, "before">;

const zero: Sums = {
  calls: 0,
  amount: nanos(0n),
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cachedOfTokens: 0,
};

const plus = (left: Sums, right: Sums, sign: 1 | -1): Sums => ({
  calls: left.calls + sign * right.calls,
  amount: nanos(left.amount + BigInt(sign) * right.amount),
  inputTokens: left.inputTokens + sign * right.inputTokens,
  outputTokens: left.outputTokens + sign * right.outputTokens,
  cachedTokens: left.cachedTokens + sign * right.cachedTokens,
  cachedOfTokens: left.cachedOfTokens + sign * right.cachedOfTokens,
});

/** The sums of the groups that have no row. */
function restOf(
  total: Awaited<ReturnType<typeof totalUsage>>,
  rows: Awaited<ReturnType<typeof usageByGroup>>,
) {
  const own = rows.reduce((sum, row) => plus(sum, row, 1), zero);
  const before = rows.reduce((sum, row) => plus(sum, row.before, 1), zero);
  return { ...plus(total, own, -1), before: plus(total.before, before, -1) };
}

type NameLookup = { by: UsageBy; ids: string[]; accountId: AccountId | undefined };

/** The names of groups. The name of another account's key is not revealed, even if it is asked for. */
async function namesOf(
  { db }: QueryContext,
  { by, ids, accountId }: NameLookup,
): Promise<(id: string) => string> {
  if (by === "model") {
    return (id) => id;
  }
  if (by === "account") {
    const names = await findAccountNames(db, ids as AccountId[]);
    return (id) => names.get(id as AccountId) ?? "";
  }
  const keyOf = (id: string) => (by === "key" ? id : keyAndModelOf(id).keyId);
  const names = await findKeyNames(db, [...new Set(ids.map(keyOf))].filter(Boolean) as KeyId[], accountId);
  const nameOf = (keyId: string) => names.get(keyId)?.name ?? "";
  return by === "key"
    ? nameOf
    : (id) => [nameOf(keyOf(id)) || keyOf(id), keyAndModelOf(id).modelId].filter(Boolean).join(" · ");
}

const Wanted = z.strictObject({
  accountId: AccountIdInput.optional(),
  by: z.enum(usageGroups).optional(),
  range: z.enum(usageRanges).optional(),
  from: Day.optional(),
  to: Day.optional(),
});

/** As `show`, with another number of rows. */
export async function readUsage(
  reading: QueryContext,
  { accountId, by = "model", ...request }: z.output<typeof Wanted>,
  rows: number,
) {
  const { db, config } = reading;
  if (accountId !== undefined) {
    await getAccount(db, accountId);
  }
  const timeZone = config.BILLING_TIMEZONE;
  const at = { now: systemClock(), timeZone };
  const span = resolveSpan(request, at);
  const before = spanBefore(span, at);
  const compared = { accountId, span, before, timeZone };
  const total = await totalUsage(db, compared);
  const groups = await usageByGroup(db, { ...compared, by, limit: rows });
  const ids = groups.map(({ id }) => id);
  const drawn = groups.filter(({ calls }) => calls > 0).slice(0, DRAWN);
  const filter = { accountId, span, by, timeZone };
  const chart = await usageOverTime(db, { ...filter, ids: drawn.map(({ id }) => id) });
  const nameOf = await namesOf(reading, { by, ids, accountId });
  return inDecimals({
    by,
    start: span.from,
    end: span.until,
    before: { start: before.from, end: before.until },
    total,
    rows: groups.map((group) => ({ ...group, name: nameOf(group.id) })),
    others: groups.length < rows ? null : restOf(total, groups),
    chart,
  });
}

/**
 * Usage and charges in a range, or from a day to a day in the billing zone (by default the current month), by model,
 * key, both or account, next to the span before it; and the most expensive groups over time. Without an account, of all
 * accounts. Read from the hourly sums, which are written with each charge.
 */
export const show = query({
  mayLag: true,
  needs: "read",
  input: Wanted,
  read: (reading, input) => readUsage(reading, input, ROWS),
});
