import { expect } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { until } from "@/tests/support/until";
import type { EmbeddedGateway } from "../embedded-gateway";
import { eventually } from "../eventually";
import type { Ledger, LedgerEntry } from "../ledger";
import { isReady } from "../process";
import { ageTheDead } from "../video-chaos";
import type { VideoSimulator } from "../video-simulator";
import type { Ended, PlacedOrder } from "./traffic";

/**
 * A lease, a second one if PostgreSQL has just started, the pause between two sweeps, and a margin for a slow machine.
 */
const SETTLED_WITHIN_MS = 75_000;
const SLICE = 5_000;

async function entriesOf({ entriesOfAll }: Ledger, ids: string[]): Promise<Map<string, LedgerEntry[]>> {
  const byId = new Map<string, LedgerEntry[]>();
  for (let from = 0; from < ids.length; from += SLICE) {
    for (const entry of await entriesOfAll(ids.slice(from, from + SLICE))) {
      byId.set(entry.requestId, [...(byId.get(entry.requestId) ?? []), entry]);
    }
  }
  return byId;
}

async function offencesOf(ledger: Ledger, ended: Ended[], edge: AccountId): Promise<string[]> {
  const byId = await entriesOf(
    ledger,
    ended.flatMap(({ requestId }) => requestId ?? []),
  );
  return ended.flatMap(({ accountId, requestId, status, isWhole, due }) => {
    const entries = byId.get(requestId ?? "") ?? [];
    const charges = entries.flatMap((entry) => (entry.kind === "capture" ? BigInt(entry.amount) : []));
    const subject = `${requestId} (${status}, due ${due}, charged ${charges.join(" and ") || "nothing"})`;
    return [
      ...(charges.length > 1 ? [`${subject}: charged more than once`] : []),
      ...(isWhole && charges.length === 0 ? [`${subject}: came whole and is not charged`] : []),
      ...(isWhole && charges.some((amount) => amount !== due) ? [`${subject}: charged another amount`] : []),
      ...(status !== null && status !== 200 && charges.length > 0 ? [`${subject}: refused and charged`] : []),
      ...(entries.some((entry) => entry.accountId !== accountId) ? [`${subject}: of another account`] : []),
      ...(status === 402 && accountId !== edge ? [`${subject}: refused, and there was money`] : []),
    ];
  });
}

/** Accounts that spent more than they had, except for charges above their own holds, which their entries show. */
async function overspent({ db }: Ledger): Promise<unknown[]> {
  return [
    ...(await sqlOf(db)`
      select account_id, used::text, frozen::text, quota::text, topups::text from account_months as month
      where used + frozen > quota + topups + (
        select coalesce(sum(greatest(amount - held, 0)), 0) from ledger_entries as entry
        where entry.account_id = month.account_id and entry.period = month.period and kind = 'capture')`),
  ];
}

/** Checks videos: no order is made twice, each task has one final entry, and clients were told the truth. */
async function expectVideosLawful(
  ledger: Ledger,
  orders: PlacedOrder[],
  simulator: VideoSimulator,
): Promise<void> {
  expect(simulator.ledger.promptsMadeTwice(), "no video is submitted twice upstream").toEqual([]);
  const tasks = await sqlOf(ledger.db)<{ id: string; prompt: string; state: string; price: string }[]>`
    select id, prompt, state, price::text from video_tasks`;
  const entries = await entriesOf(
    ledger,
    tasks.map(({ id }) => id),
  );
  const settled = tasks.map(({ id }) => [
    id,
    ...(entries.get(id) ?? []).map(({ kind, amount }) => `${kind} ${amount}`),
  ]);
  const due = tasks.map(({ id, state, price }) => [
    id,
    `${state === "completed" ? "capture" : "release"} ${price}`,
  ]);
  expect(settled, "one entry for each video").toEqual(due);
  const byId = new Map(tasks.map(({ id, prompt }) => [id, prompt]));
  for (const { prompt, taskIds } of orders) {
    expect(taskIds.size, `${prompt}: tasks of one Idempotency-Key`).toBeLessThanOrEqual(1);
    expect([...taskIds].map((id) => byId.get(id))).toEqual([...taskIds].map(() => prompt));
  }
}

/** The number of calls for each kind of end, for the run's last line. */
export const endsOf = (gateway: EmbeddedGateway): Promise<Record<string, number>> =>
  gateway.withLedger(async ({ db }) => {
    const rows = await sqlOf(db)<{ name: string; count: number }[]>`
      select kind || coalesce(' ' || note, '') as name, count(*)::int as count from ledger_entries
      where kind in ('capture', 'release') group by 1 order by 1`;
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
  });

/**
 * While no calls run: waits until the money of dead processes is back, and checks every law against the clients'
 * results.
 */
export async function expectLawful(
  gateway: EmbeddedGateway,
  {
    ended,
    orders,
    edge,
    simulator,
  }: { ended: Ended[]; orders: PlacedOrder[]; edge: AccountId; simulator: VideoSimulator },
): Promise<void> {
  await until(() => isReady(gateway.server().url), SETTLED_WITHIN_MS);
  await gateway.withLedger(async (ledger) => {
    expect(await ledger.verify(), "ledger verify, while money is still frozen").toEqual([]);
    await until(async () => {
      await ageTheDead(ledger);
      return (await ledger.allHolds()) === 0;
    }, SETTLED_WITHIN_MS);
    expect(await ledger.verify(), "ledger verify").toEqual([]);
    expect(await overspent(ledger), "accounts that spent more than they had").toEqual([]);
    // A charge on disk may wait until its process posts it.
    await eventually(() => offencesOf(ledger, ended, edge), SETTLED_WITHIN_MS).toEqual([]);
    await expectVideosLawful(ledger, orders, simulator);
  });
}
