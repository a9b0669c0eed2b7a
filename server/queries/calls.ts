import { z } from "zod";
import { findAccountNames, findKeyNames } from "@/server/access";
import { endpointNames } from "@/server/base/facts";
import { madeAt } from "@/server/base/ids";
import { formatMoney, inDecimals } from "@/server/base/money";
import { explainCharge, findCharges, hasOtherModel, isLateCharge, type LedgerEntry } from "@/server/billing";
import { type CallRecord, getCall, listCalls } from "@/server/calls";
import { listChannels } from "@/server/channels";
import { AccountId, KeyId, Moment, PAGE_ROWS, Page } from "@/server/operations/schema";
import { query, type Reading } from "./query";

const distinct = <Id extends string>(ids: (Id | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))];

/** Where a call's money is. A submission that is repeated has the task of the first one, and so its one charge. */
const chargeIdOf = (call: CallRecord) => call.taskId ?? call.requestId;

/** Output with reasoning, which is a part of it. null: nothing is paid by the token. */
const tokensOf = (entry: LedgerEntry) =>
  entry.kind === "release" || entry.prices?.video !== undefined
    ? null
    : {
        input: entry.inputTokens ?? 0,
        cacheRead: entry.cacheReadTokens ?? 0,
        cacheWrite: entry.cacheWriteTokens ?? 0,
        cacheWrite1h: entry.cacheWrite1hTokens ?? 0,
        output: entry.outputTokens ?? 0,
        reasoning: entry.reasoningTokens ?? 0,
      };

/** What became of a call's money. A task that has not ended has its price frozen still. */
function moneyOf(call: CallRecord, entry: LedgerEntry | undefined) {
  if (!entry) {
    return call.taskId === null ? ("none" as const) : ("frozen" as const);
  }
  return entry.kind === "capture" ? ("charged" as const) : ("returned" as const);
}

/** Calls as their owner sees them. `cost`: a decimal string in currency units; null when nothing was charged. */
async function toViews({ db }: Reading, calls: CallRecord[], accountId: AccountId | undefined) {
  const keys = await findKeyNames(db, distinct(calls.map(({ keyId }) => keyId)), accountId);
  const charges = await findCharges(db, distinct(calls.map(chargeIdOf)), accountId);
  return calls.map((call) => {
    const entry = charges.get(chargeIdOf(call));
    const { accountId: _, channelId: __, keyId, ...seen } = call;
    return {
      ...seen,
      key: { id: keyId, ...(keys.get(keyId) ?? { name: "", lastFour: "", isDeleted: true }) },
      chargeId: chargeIdOf(call),
      money: moneyOf(call, entry),
      cost: entry?.kind === "capture" ? formatMoney(entry.amount) : null,
      tokens: entry ? tokensOf(entry) : null,
      usageSource: entry?.usageSource ?? null,
    };
  });
}

/** What operators see beside it. */
type Behind = {
  account: { id: string; name: string };
  channel: { id: string; name: string } | null;
};

async function toOperatorViews(reading: Reading, calls: CallRecord[]) {
  const accounts = await findAccountNames(reading.db, distinct(calls.map(({ accountId }) => accountId)));
  const channels = new Map((await listChannels(reading.db)).map(({ id, name }) => [id, name]));
  const behind = new Map<string, Behind>(
    calls.map(({ requestId, accountId, channelId }) => [
      requestId,
      {
        account: { id: accountId, name: accounts.get(accountId) ?? "" },
        channel: channelId === null ? null : { id: channelId, name: channels.get(channelId) ?? "" },
      },
    ]),
  );
  const views = await toViews(reading, calls, undefined);
  return views.map((view) => ({ ...view, behind: behind.get(view.requestId) ?? null }));
}

type Reach = { nextCursor: string | null; limit: number };

/** `searchedTo`: how far back a page has looked that stopped before it was full. null: it is, or nothing is left. */
const pageOf = <Row>(rows: Row[], { nextCursor, limit }: Reach) => ({
  rows,
  nextCursor,
  searchedTo: nextCursor !== null && rows.length < limit ? madeAt(nextCursor) : null,
});

/** Why a charge is what it is. Decimal strings in currency units; `price` of a million tokens, or of a video. */
async function explain({ db, videos }: Reading, call: CallRecord) {
  const charges = await findCharges(db, [chargeIdOf(call)], call.accountId);
  const entry = charges.get(chargeIdOf(call));
  const task = call.taskId === null ? null : await videos.find(call.taskId);
  // What was frozen for it had been returned before it was charged.
  const isLate = entry ? isLateCharge(entry) : false;
  return inDecimals({
    isLate,
    hasOtherModel: entry ? hasOtherModel(entry) : false,
    held: entry && !isLate ? entry.held : null,
    lines: entry?.kind === "capture" ? explainCharge(entry) : [],
    quote: task && {
      price: task.price,
      durationSeconds: task.durationSeconds,
      resolution: task.resolution,
    },
  });
}

const Text = z.string().min(1).max(200);

/** Which calls of an account. */
export const OwnCalls = z.strictObject({
  accountId: AccountId,
  keyId: KeyId.optional(),
  modelId: Text.optional(),
  endpoint: z.enum(endpointNames).optional(),
  status: z.enum(["ok", "failed"]).optional(),
  from: Moment.optional(),
  until: Moment.optional(),
  requestId: Text.optional(),
});

/** Which calls of anybody's. */
export const AllCalls = OwnCalls.partial({ accountId: true });

type Some = { cursor?: string | undefined; limit: number };

/** Some of an account's calls; a page may be short, or empty, and not the last. */
export async function readCalls(reading: Reading, filter: z.output<typeof OwnCalls>, page: Some) {
  const { rows, nextCursor } = await listCalls(reading.db, filter, page);
  return pageOf(await toViews(reading, rows, filter.accountId), { ...page, nextCursor });
}

/** Some of everybody's. */
export async function readAllCalls(reading: Reading, filter: z.output<typeof AllCalls>, page: Some) {
  const { rows, nextCursor } = await listCalls(reading.db, filter, page);
  return pageOf(await toOperatorViews(reading, rows), { ...page, nextCursor });
}

/** An account's calls, newest first. */
export const list = query({
  by: ["owner"],
  input: OwnCalls.extend(Page.shape),
  read: (reading, { cursor, ...filter }) => readCalls(reading, filter, { cursor, limit: PAGE_ROWS }),
});

/** Everybody's calls. */
export const listAll = query({
  by: ["operator"],
  input: AllCalls.extend(Page.shape),
  read: (reading, { cursor, ...filter }) => readAllCalls(reading, filter, { cursor, limit: PAGE_ROWS }),
});

const Target = z.strictObject({ requestId: z.string().min(1).max(100) });

/** One call of an account, with why it was charged what it was. */
export const get = query({
  by: ["owner"],
  input: Target.extend({ accountId: AccountId }),
  read: async (reading, target) => {
    const call = await getCall(reading.db, target);
    const [view] = await toViews(reading, [call], target.accountId);
    return view && { ...view, ...(await explain(reading, call)) };
  },
});

/** One call of anybody's. */
export const getAny = query({
  by: ["operator"],
  input: Target,
  read: async (reading, target) => {
    const call = await getCall(reading.db, target);
    const [view] = await toOperatorViews(reading, [call]);
    return view && { ...view, ...(await explain(reading, call)) };
  },
});
