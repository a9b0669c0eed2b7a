import { z } from "zod";
import { findKeyNames } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { inDecimals, nanos } from "@/server/base/money";
import {
  DAYS_BEFORE,
  findUnusualDay,
  resolveSpan,
  spanBefore,
  spanOfDays,
  usageByGroup,
  usageOverTime,
} from "@/server/billing";
import { dayOf } from "@/server/domain/days";
import { keyAndModelOf, usageRanges } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { AccountId as AccountIdInput } from "@/server/operations/schema";
import { type QueryContext, query } from "./query";
import { Day } from "./usage";

const DAY_MS = 86_400_000;
/** Earlier days of a longer span are not looked at: a chart with days has 31 or few more. */
const MOST_DAYS = 31;

const daysBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
const laterOf = (left: string, right: string) => (left > right ? left : right);

type OfAccount = { accountId: AccountId; timeZone: string };

/** The charges of each day, in order. */
async function daysOf(
  { db }: QueryContext,
  { accountId, timeZone, first, last }: OfAccount & { first: string; last: string },
) {
  const span = spanOfDays(first, last, timeZone);
  const { points, series } = await usageOverTime(db, { accountId, span, by: "model", ids: [], timeZone });
  return points.map((day, place) => ({ day, amount: series[0]?.points[place]?.amount ?? nanos(0n) }));
}

/** The key and model that cost most on a day. null: nothing was charged. */
async function largestPartOf(
  { db }: QueryContext,
  { accountId, timeZone, day }: OfAccount & { day: string },
) {
  const span = spanOfDays(day, day, timeZone);
  const before = spanBefore(span, { now: systemClock(), timeZone });
  const [part] = await usageByGroup(db, {
    ...{ accountId, span, before, timeZone },
    ...{ by: "key_model", limit: 1 },
  });
  if (!part) {
    return null;
  }
  const { keyId, modelId } = keyAndModelOf(part.id);
  const names = await findKeyNames(db, [keyId as KeyId], accountId);
  const { calls, amount } = part;
  return { keyId, key: names.get(keyId as KeyId)?.name ?? "", modelId, calls, amount };
}

const Wanted = z.strictObject({
  accountId: AccountIdInput.optional(),
  range: z.enum(usageRanges).optional(),
  from: Day.optional(),
  to: Day.optional(),
});

/**
 * The last day of a span, among its last 31, on which an account's charges were far above its usual, with the key and
 * model that cost most on it; null: there is none, or no account is named. Read from the hourly sums.
 */
export const show = query({
  mayLag: true,
  needs: "read",
  input: Wanted,
  read: async (reading, { accountId, ...request }) => {
    if (accountId === undefined) {
      return null;
    }
    const timeZone = reading.config.BILLING_TIMEZONE;
    const now = systemClock();
    const { from, until } = resolveSpan(request, { now, timeZone });
    const today = dayOf(now.getTime(), timeZone);
    const ended = dayOf(until.getTime() - 1, timeZone);
    const last = ended < today ? ended : today;
    const first = laterOf(dayOf(from.getTime(), timeZone), daysBefore(last, MOST_DAYS - 1));
    const shownDays = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
    if (shownDays < 1) {
      return null;
    }
    const all = { accountId, timeZone, first: daysBefore(first, DAYS_BEFORE), last };
    const unusual = findUnusualDay(await daysOf(reading, all), shownDays);
    if (unusual === null) {
      return null;
    }
    const { day } = unusual;
    const part = await largestPartOf(reading, { accountId, timeZone, day });
    const span = spanOfDays(day, day, timeZone);
    return inDecimals({ ...unusual, start: span.from, end: span.until, isToday: day === today, part });
  },
});
