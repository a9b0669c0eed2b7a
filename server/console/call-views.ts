import { findAccountNames, findKeyNames } from "@/server/access";
import { madeAt } from "@/server/base/ids";
import { formatMoney } from "@/server/base/money";
import { explainCharge, findCharges, hasOtherModel, isLateCharge, type LedgerEntry } from "@/server/billing";
import { type CallFilter, type CallRecord, getCall, listCalls } from "@/server/calls";
import { listChannels } from "@/server/channels";
import { PAGE_ROWS } from "@/server/operations/schema";
import type { Runtime } from "@/server/process/runtime";

const distinct = (ids: (string | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))];

/** Where a call's money is. A submission that is repeated has the task of the first one, and so its one charge. */
const chargeIdOf = (call: CallRecord) => call.taskId ?? call.requestId;

/** Output with reasoning, which is a part of it. null: nothing is paid by the token. */
const tokensOf = (entry: LedgerEntry) =>
  entry.kind === "release" || entry.prices?.video !== undefined
    ? null
    : {
        input: Number(entry.inputTokens ?? 0),
        cacheRead: Number(entry.cacheReadTokens ?? 0),
        cacheWrite: Number(entry.cacheWriteTokens ?? 0),
        cacheWrite1h: Number(entry.cacheWrite1hTokens ?? 0),
        output: Number(entry.outputTokens ?? 0),
        reasoning: Number(entry.reasoningTokens ?? 0),
      };

/** What became of a call's money. A task that has not ended has its price frozen still. */
function moneyOf(call: CallRecord, entry: LedgerEntry | undefined) {
  if (!entry) {
    return call.taskId === null ? ("none" as const) : ("frozen" as const);
  }
  return entry.kind === "capture" ? ("charged" as const) : ("returned" as const);
}

/** Calls as their owner sees them. `cost`: a decimal string in currency units; null when nothing was charged. */
async function toViews({ db }: Runtime, calls: CallRecord[], accountId: string | undefined) {
  const keys = await findKeyNames(db.orm, distinct(calls.map(({ keyId }) => keyId)), accountId);
  const charges = await findCharges(db.sql, distinct(calls.map(chargeIdOf)), accountId);
  return calls.map((call) => {
    const entry = charges.get(chargeIdOf(call));
    const { accountId: _, channelId: __, keyId, ...seen } = call;
    return {
      ...seen,
      key: { id: keyId, ...(keys.get(keyId) ?? { name: "", lastFour: "", isDeleted: true }) },
      chargeId: chargeIdOf(call),
      money: moneyOf(call, entry),
      cost: entry?.kind === "capture" ? formatMoney(BigInt(entry.amount)) : null,
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

async function toOperatorViews(runtime: Runtime, calls: CallRecord[]) {
  const { orm } = runtime.db;
  const accounts = await findAccountNames(orm, distinct(calls.map(({ accountId }) => accountId)));
  const channels = new Map((await listChannels(orm)).map(({ id, name }) => [id, name]));
  const behind = new Map<string, Behind>(
    calls.map(({ requestId, accountId, channelId }) => [
      requestId,
      {
        account: { id: accountId, name: accounts.get(accountId) ?? "" },
        channel: channelId === null ? null : { id: channelId, name: channels.get(channelId) ?? "" },
      },
    ]),
  );
  const views = await toViews(runtime, calls, undefined);
  return views.map((view) => ({ ...view, behind: behind.get(view.requestId) ?? null }));
}

type Listing = CallFilter & { cursor?: string | undefined; limit?: number | undefined };

type Reach = { nextCursor: string | null; limit: number };

/** `searchedTo`: how far back a page has looked that stopped before it was full. null: it is, or nothing is left. */
const pageOf = <Row>(rows: Row[], { nextCursor, limit }: Reach) => ({
  rows,
  nextCursor,
  searchedTo: nextCursor !== null && rows.length < limit ? madeAt(nextCursor) : null,
});

/** A page of an account's calls; it may be short, or empty, and not the last. */
export async function showCallPage(
  runtime: Runtime,
  { cursor, limit = PAGE_ROWS, ...filter }: Listing & { accountId: string },
) {
  const { rows, nextCursor } = await listCalls(runtime.db.sql, filter, { cursor, limit });
  return pageOf(await toViews(runtime, rows, filter.accountId), { nextCursor, limit });
}

/** A page of everybody's calls. */
export async function showAllCalls(runtime: Runtime, { cursor, limit = PAGE_ROWS, ...filter }: Listing) {
  const { rows, nextCursor } = await listCalls(runtime.db.sql, filter, { cursor, limit });
  return pageOf(await toOperatorViews(runtime, rows), { nextCursor, limit });
}

/** Why a charge is what it is. Decimal strings in currency units; `price` of a million tokens, or of a video. */
async function explain({ db, videos }: Runtime, call: CallRecord) {
  const charges = await findCharges(db.sql, [chargeIdOf(call)], call.accountId);
  const entry = charges.get(chargeIdOf(call));
  const task = call.taskId === null ? null : await videos.find(call.taskId);
  const lines = entry?.kind === "capture" ? explainCharge(entry) : [];
  // What was frozen for it had been returned before it was charged.
  const isLate = entry ? isLateCharge(entry) : false;
  return {
    isLate,
    hasOtherModel: entry ? hasOtherModel(entry) : false,
    held: entry?.held && !isLate ? formatMoney(BigInt(entry.held)) : null,
    lines: lines.map(({ price, amount, ...line }) => ({
      ...line,
      price: formatMoney(price),
      amount: formatMoney(amount),
    })),
    quote: task && {
      price: formatMoney(task.price),
      durationSeconds: task.durationSeconds,
      resolution: task.resolution,
    },
  };
}

/** One call of an account, with why it was charged what it was. Throws Refusal. */
export async function showCall(runtime: Runtime, target: { requestId: string; accountId: string }) {
  const call = await getCall(runtime.db.sql, target);
  const [view] = await toViews(runtime, [call], target.accountId);
  return view && { ...view, ...(await explain(runtime, call)) };
}

/** One call of anybody's. Throws Refusal. */
export async function showAnyCall(runtime: Runtime, requestId: string) {
  const call = await getCall(runtime.db.sql, { requestId });
  const [view] = await toOperatorViews(runtime, [call]);
  return view && { ...view, ...(await explain(runtime, call)) };
}
