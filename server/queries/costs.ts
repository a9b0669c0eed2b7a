import { z } from "zod";
import { findAccountNames } from "@/server/access";
import { systemClock } from "@/server/base/clock";
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
import { listCatalog, listCostPrices, soldBelowCost } from "@/server/catalog";
import { listChannels } from "@/server/channels";
import type { Db } from "@/server/db";
import { type MarginBy, marginGroups, usageRanges } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { priceOperations } from "@/server/operations";
import { ChannelId } from "@/server/operations/schema";
import { type QueryContext, query } from "./query";
import { Day } from "./usage";

/** The most rows of a list. */
const ROWS = 100;

async function channelNames(db: Db): Promise<Map<string, string>> {
  return new Map((await listChannels(db)).map(({ id, name }) => [id, name]));
}

/** Costs entered for models at channels, of all or of one channel or model, with the names of prices below cost. */
export const list = query({
  needs: "costs.read",
  input: z.strictObject({ channelId: ChannelId.optional(), modelId: priceOperations.ModelId.optional() }),
  read: async ({ db }, { channelId, modelId: only }) => {
    const names = await channelNames(db);
    const models = new Map((await listCatalog(db)).map((entry) => [entry.id, entry]));
    const entries = await listCostPrices(db, { channelId, modelId: only });
    return entries.map(({ modelId, prices, ...entry }) => {
      const model = models.get(modelId);
      return {
        channelId: entry.channelId,
        channel: names.get(entry.channelId) ?? "",
        modelId,
        prices: priceOperations.pricesView(prices),
        below: model ? soldBelowCost(model.prices, prices) : [],
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

type ChargeSum = { calls: number; amount: Nanos };

/** The charges of calls whose cost is unknown. */
const unknownOf = (all: ChargeSum, earned: ChargeSum) => ({
  calls: all.calls - earned.calls,
  amount: nanos(all.amount - earned.amount),
});

/** The sums of a span and of the one before it: of calls with a known cost, and of those without. */
async function earnedIn({ db, config }: Pick<QueryContext, "db" | "config">, request: AskedSpan) {
  const at = { now: systemClock(), timeZone: config.BILLING_TIMEZONE };
  const span = resolveSpan(request, at);
  const before = spanBefore(span, at);
  const compared = { span, before, timeZone: at.timeZone };
  const charged = await totalUsage(db, compared);
  const earned = await totalEarned(db, compared);
  return {
    span,
    before,
    total: { ...withMargin(earned), before: withMargin(earned.before) },
    unknown: { ...unknownOf(charged, earned), before: unknownOf(charged.before, earned.before) },
  };
}

/** Earnings of today and of the current month, each with those of the same part of the span before. */
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
 * Earnings in a range, or from a day to a day in the billing zone (by default the current month), with those of the
 * span before: charges of calls, costs at their channels, and the difference, by model, channel or account. `unknown`:
 * charges of calls without a known cost, which are in no other figure.
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
  read: async (reading, { by = "model", ...request }) => {
    const { db, config } = reading;
    const { span, before, total, unknown } = await earnedIn(reading, request);
    const groups = await earnedByGroup(db, {
      ...{ span, before, timeZone: config.BILLING_TIMEZONE },
      ...{ by, limit: ROWS },
    });
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
