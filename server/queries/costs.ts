import { z } from "zod";
import { findAccountNames } from "@/server/access";
import { systemClock } from "@/server/base/clock";
import { type MarginBy, marginGroups, usageRanges } from "@/server/base/facts";
import type { AccountId } from "@/server/base/ids";
import { inDecimals, type Nanos, nanos } from "@/server/base/money";
import {
  type AskedSpan,
  type Earned,
  earnedByGroup,
  resolveSpan,
  spanBefore,
  totalEarned,
  totalUsage,
} from "@/server/billing";
import { listCatalog, listCostPrices, soldBelowCost, toCostPrices, toModel } from "@/server/catalog";
import { listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import { priceOperations } from "@/server/operations";
import { ChannelId } from "@/server/operations/schema";
import { query, type Reading } from "./query";
import { Day } from "./usage";

/** More are not listed. */
const ROWS = 100;

async function channelNames(db: Db): Promise<Map<string, string>> {
  return new Map((await listChannels(db)).map(({ id, name }) => [id, name]));
}

/** What was said that models cost at channels, of all or of one channel or model, and what of it is more than they are sold at. */
export const list = query({
  needs: "costs.read",
  input: z.strictObject({ channelId: ChannelId.optional(), modelId: priceOperations.ModelId.optional() }),
  read: async ({ db }, { channelId, modelId: only }) => {
    const names = await channelNames(db);
    const models = new Map((await listCatalog(db)).map((entry) => [entry.id, toModel(entry)]));
    const entries = await listCostPrices(db, { channelId, modelId: only });
    return entries.map(({ modelId, prices, ...entry }) => {
      const model = models.get(modelId);
      return {
        channelId: entry.channelId,
        channel: names.get(entry.channelId) ?? "",
        modelId,
        prices: priceOperations.told(prices),
        below: model ? soldBelowCost(model, toCostPrices(prices)) : [],
      };
    });
  },
});

async function namesOf(db: Db, by: MarginBy, ids: string[]): Promise<(id: string) => string> {
  if (by === "model") {
    return (id) => id;
  }
  const names: Map<string, string> =
    by === "account" ? await findAccountNames(db, ids as AccountId[]) : await channelNames(db);
  return (id) => names.get(id) ?? "";
}

const withMargin = <Sums extends Earned>(sums: Sums) => ({ ...sums, margin: nanos(sums.amount - sums.cost) });

type Charged = { calls: number; amount: Nanos };

/** What was charged for calls of which nobody knows what they cost. */
const unknownOf = (all: Charged, known: Charged) => ({
  calls: all.calls - known.calls,
  amount: nanos(all.amount - known.amount),
});

/** What a span came to beside the one before it: what is known of, and what nobody has said the cost of. */
async function earnedIn({ db, config }: Pick<Reading, "db" | "config">, asked: AskedSpan) {
  const at = { now: systemClock(), timeZone: config.BILLING_TIMEZONE };
  const span = resolveSpan(asked, at);
  const before = spanBefore(span, at);
  const charged = await totalUsage(db, { span, before });
  const known = await totalEarned(db, { span, before });
  return {
    span,
    before,
    total: { ...withMargin(known), before: withMargin(known.before) },
    unknown: { ...unknownOf(charged, known), before: unknownOf(charged.before, known.before) },
  };
}

/** What was earned today and in the month under way, each beside as much of the one before. */
export const earnings = query({
  mayLag: true,
  needs: "costs.read",
  input: z.strictObject({}),
  read: async (reading) => {
    const today = await earnedIn(reading, { range: "today" });
    const month = await earnedIn(reading, { range: "month" });
    return inDecimals({ today: today.total, month: month.total });
  },
});

/**
 * What was earned in a range, or from a day to a day in the billing zone (the month under way, where nothing is named),
 * beside the span before it: what calls were charged, what their channels were to be paid, and what is left, by model,
 * channel or account. `unknown`: what was charged for calls whose cost nobody has said; it is in no other figure.
 */
export const margin = query({
  mayLag: true,
  needs: "costs.read",
  input: z.strictObject({
    by: z.enum(marginGroups).optional(),
    range: z.enum(usageRanges).optional(),
    from: Day.optional(),
    to: Day.optional(),
  }),
  read: async (reading, { by = "model", ...asked }) => {
    const { db } = reading;
    const { span, before, total, unknown } = await earnedIn(reading, asked);
    const groups = await earnedByGroup(db, { span, before, by, limit: ROWS });
    const nameOf = await namesOf(
      db,
      by,
      groups.map(({ id }) => id),
    );
    return inDecimals({
      by,
      start: span.from,
      end: span.until,
      total,
      unknown,
      rows: groups.map((group) => ({
        ...withMargin(group),
        before: withMargin(group.before),
        name: nameOf(group.id),
      })),
    });
  },
});
