import { z } from "zod";
import { findKeyNames } from "@/server/access";
import { formatMoney, inDecimals } from "@/server/base/money";
import {
  conditionsOfCharge,
  cutOf,
  explainCharge,
  findCharges,
  hasOtherModel,
  hasUnreadCounts,
  isLateCharge,
  isNotBelieved,
  type LedgerEntry,
  leftOf,
  listRefunds,
} from "@/server/billing";
import {
  type CallRecord,
  chargeIdOf,
  getCall,
  listAttempts,
  listCalls,
  listMissedPaths,
  rankCalls,
  sumCalls,
} from "@/server/calls";
import { listChannels } from "@/server/channels";
import { callSorts } from "@/server/domain/enums";
import { madeAt } from "@/server/domain/ids";
import type { Side } from "@/server/domain/roles";
import { endpointNames } from "@/server/endpoints";
import { AccountId, ChannelId, KeyId, Moment, PAGE_ROWS, Page } from "@/server/operations/schema";
import { eachField } from "@/server/pricing";
import { distinct, findBehind } from "./behind";
import { type QueryContext, query } from "./query";

const chargedBy = (call: CallRecord) => ({ id: chargeIdOf(call), accountId: call.accountId });

const hasNoTokens = ({ units, inputTokens, outputTokens }: LedgerEntry) =>
  units !== null && !inputTokens && !outputTokens;

/** The tokens of a charge; output includes reasoning. null: nothing is charged by the token. */
const tokensOf = (entry: LedgerEntry) =>
  entry.kind === "release" || entry.prices?.video !== undefined || hasNoTokens(entry)
    ? null
    : {
        ...eachField(({ field }) => entry[`${field}Tokens`] ?? 0),
        reasoning: entry.reasoningTokens ?? 0,
      };

/** The state of a call's money. The price of an open task is still frozen. */
function moneyOf(call: CallRecord, entry: LedgerEntry | undefined) {
  if (!entry) {
    return call.taskId === null ? ("none" as const) : ("frozen" as const);
  }
  return entry.kind === "capture" ? ("charged" as const) : ("returned" as const);
}

/** `accountId`: the only account whose calls may be shown. */
type Asker = { accountId?: AccountId | undefined; side: Side };

/** Calls as the asker may see them. `cost`: a decimal string in currency units; null if nothing was charged. */
async function toViews(reading: QueryContext, calls: CallRecord[], { accountId, side }: Asker) {
  const { db } = reading;
  const keys = await findKeyNames(db, distinct(calls.map(({ keyId }) => keyId)), accountId);
  const charges = await findCharges(db, calls.map(chargedBy));
  const behind = await findBehind(reading, calls, side);
  return calls.map((call) => {
    const entry = charges.get(chargeIdOf(call));
    const { accountId: _, channelId: __, keyId, ...fields } = call;
    return {
      ...fields,
      key: { id: keyId, ...(keys.get(keyId) ?? { name: "", lastFour: "", isDeleted: true }) },
      chargeId: chargeIdOf(call),
      money: moneyOf(call, entry),
      cost: entry?.kind === "capture" ? formatMoney(entry.amount) : null,
      tokens: entry ? tokensOf(entry) : null,
      usageSource: entry?.usageSource ?? null,
      ...behind(call),
    };
  });
}

/** Explains a charge. Decimal strings in currency units; `price` for a million tokens, a unit, or a video. */
async function explain({ db, videos }: QueryContext, call: CallRecord) {
  const charges = await findCharges(db, [chargedBy(call)]);
  const entry = charges.get(chargeIdOf(call));
  const refunds = await listRefunds(db, { accountId: call.accountId, chargeId: chargeIdOf(call) });
  const task = call.taskId === null ? null : await videos.find(call.taskId);
  // The hold had been released before the charge was made.
  const isLate = entry ? isLateCharge(entry) : false;
  return inDecimals({
    isLate,
    hasOtherModel: entry ? hasOtherModel(entry) : false,
    hasUnreadCounts: entry ? hasUnreadCounts(entry) : false,
    conditions: entry ? conditionsOfCharge(entry) : null,
    isNotBelieved: entry ? isNotBelieved(entry) : false,
    cut: entry ? cutOf(entry) : null,
    held: entry && !isLate ? entry.held : null,
    refunds: refunds.map(({ id, createdAt, amount, period, note }) => ({
      id,
      createdAt,
      amount,
      period,
      note,
    })),
    refundable: entry?.kind === "capture" ? leftOf(entry, refunds) : null,
    lines: entry?.kind === "capture" ? explainCharge(entry) : [],
    quote: task && {
      price: task.price,
      durationSeconds: task.durationSeconds,
      resolution: task.resolution,
    },
  });
}

/** A call's attempts in order, with the present names of their channels. */
async function attemptsOf({ db }: QueryContext, call: CallRecord) {
  const attempts = await listAttempts(db, call);
  const names = new Map((await listChannels(db)).map(({ id, name }) => [id, name]));
  return attempts.map(({ channelId, channelVersion: _, ...attempt }) => ({
    ...attempt,
    channel: { id: channelId, name: names.get(channelId) ?? "" },
  }));
}

const Text = z.string().min(1).max(200);

/** Filters of calls; without an account, calls of all accounts. */
export const CallFilter = z.strictObject({
  accountId: AccountId.optional(),
  keyId: KeyId.optional(),
  modelId: Text.optional(),
  endpoint: z.enum(endpointNames).optional(),
  status: z.enum(["ok", "failed"]).optional(),
  from: Moment.optional(),
  until: Moment.optional(),
  requestId: Text.optional(),
});

/** Only operators may filter by channel. */
export const AllCallsFilter = CallFilter.extend({ channelId: ChannelId.optional() });

/** The page, and its order. */
const CallPage = Page.extend({ sort: z.enum(callSorts).default("-time") });

type CallSort = (typeof callSorts)[number];
type Some = { cursor?: string | undefined; limit: number; sort?: CallSort; side: Side };

const rankings = { "-cost": "cost", "-tokens": "tokens", "-duration": "duration" } as const;

/**
 * Reads a page of calls; it may be short or empty without being the last. `searchedTo`: how far such a page has looked.
 * null: it is full, or nothing is left. By a figure there is one page, and `searchedTo` is how far back calls were
 * compared; null: all of them.
 */
export async function readCalls(
  reading: QueryContext,
  filter: z.output<typeof AllCallsFilter>,
  { side, sort = "-time", ...page }: Some,
) {
  if (sort !== "time" && sort !== "-time") {
    const ranked = await rankCalls(reading.db, filter, { by: rankings[sort], limit: page.limit });
    return {
      rows: await toViews(reading, ranked.rows, { accountId: filter.accountId, side }),
      nextCursor: null,
      searchedTo: ranked.comparedTo,
    };
  }
  const { rows, nextCursor } = await listCalls(reading.db, filter, {
    ...page,
    isOldestFirst: sort === "time",
  });
  return {
    rows: await toViews(reading, rows, { accountId: filter.accountId, side }),
    nextCursor,
    searchedTo: nextCursor !== null && rows.length < page.limit ? madeAt(nextCursor) : null,
  };
}

export const list = query({
  mayLag: true,
  needs: "read",
  input: CallFilter.extend(CallPage.shape),
  read: (reading, { cursor, sort, ...filter }, side) =>
    readCalls(reading, filter, { cursor, limit: PAGE_ROWS, sort, side }),
});

const readSums = async (reading: QueryContext, filter: z.output<typeof AllCallsFilter>) =>
  inDecimals(await sumCalls(reading.db, filter));

/**
 * Calls, failures, tokens and charges of a filter, as decimals of the currency unit. `comparedTo`: there are too many
 * calls, and these are the newest, back to that moment.
 */
export const sums = query({
  mayLag: true,
  needs: "read",
  input: CallFilter,
  read: readSums,
});

/** As `sums`, for operators, who may also filter by channel. */
export const sumsOfAll = query({
  mayLag: true,
  needs: "staff.read",
  input: AllCallsFilter,
  read: readSums,
});

const MISSED = 100;

/** Requests for paths that no endpoint has, newest first. */
export const missedPaths = query({
  mayLag: true,
  needs: "staff.read",
  input: z.strictObject({}),
  read: async ({ db }) => await listMissedPaths(db, MISSED),
});

/** As `list`, for operators, who may also filter by channel. */
export const listAll = query({
  mayLag: true,
  needs: "staff.read",
  input: AllCallsFilter.extend(CallPage.shape),
  read: (reading, { cursor, sort, ...filter }, side) =>
    readCalls(reading, filter, { cursor, limit: PAGE_ROWS, sort, side }),
});

/** The refusals whose words are the vendor's, which the client got. */
const SAID_BY_VENDOR = "upstream_rejected";

/**
 * One call with an explanation of its charge, and for operators with its attempts. `vendorError`: the names that the
 * vendor of the last attempt gave its error; an account gets only those of an error that was passed on to its client.
 */
export const get = query({
  needs: "read",
  input: z.strictObject({ requestId: z.string().min(1).max(100), accountId: AccountId.optional() }),
  read: async (reading, target, side) => {
    const call = await getCall(reading.db, target);
    const [view] = await toViews(reading, [call], { accountId: target.accountId, side });
    const isOperator = side === "operator";
    const attempts = isOperator || call.error === SAID_BY_VENDOR ? await attemptsOf(reading, call) : [];
    const vendorError = attempts.at(-1)?.vendorError ?? null;
    return (
      view && { ...view, ...(await explain(reading, call)), vendorError, ...(isOperator && { attempts }) }
    );
  },
});
