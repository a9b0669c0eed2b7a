import { expect } from "vitest";
import { openMonth } from "@/server/billing/months/months";
import type { KeyId } from "@/server/domain/ids";
import type { Ledger } from "./ledger";
import { type ModelHold, restOf } from "./ledger-model";
import { applyOp } from "./ledger-ops";
import { CAPS, type Op } from "./ledger-steps";
import { LedgerWorld, type Play } from "./ledger-world";

/** The used and frozen money of each capped key in each month, without amounts by which upstreams exceeded holds. */
function spentByCappedKeys(world: LedgerWorld) {
  return world.accounts.flatMap((accountId, account) =>
    CAPS.flatMap((_, key) =>
      [...world.periods].flatMap((period) => {
        const cap = world.cap(key);
        const keyId = world.keyId(account, key);
        const { used, frozen, overHold } = world.model.figures(accountId, period, keyId);
        return cap === null ? [] : [{ keyId, period, cap, spent: used + frozen - overHold }];
      }),
    ),
  );
}

/** Law 1 for keys: no call whose process knew of the cap was granted more than it. */
function checkCaps(
  world: LedgerWorld,
  before: { keyId: KeyId; period: string; spent: bigint }[],
  isNew: (call: ModelHold) => boolean,
): void {
  const unaware = world.model.holds.filter((call) => isNew(call) && world.unaware.has(call));
  for (const { keyId, period, cap, spent } of spentByCappedKeys(world)) {
    const earlier = before.find((each) => each.keyId === keyId && each.period === period)?.spent ?? 0n;
    const allowed = unaware
      .filter((call) => call.keyId === keyId && call.hold.period === period)
      .reduce((sum, { hold }) => sum + hold.amount, earlier > cap ? earlier : cap);
    expect(spent <= allowed, "no key spends more than its cap").toBe(true);
  }
}

/** Runs ops at once, started in the given order, and checks every law on the committed result. */
async function runBatch(world: LedgerWorld, batch: Op[]): Promise<void> {
  let isOver = false;
  // Every state in between was committed, so it must be lawful, too.
  const watch = (async () => {
    while (!isOver) {
      expect(await world.ledger.verify(world.accounts)).toEqual([]);
    }
  })();
  // It is awaited below, maybe long after it has failed.
  watch.catch(() => {});
  const crashed = batch.flatMap((each) => (each.kind === "crash" ? [each.replica] : []));
  await world.abandon(crashed);
  const quotas = new Set<number>();
  const isTurning = batch.length > 1 && batch.some((each) => each.kind === "month");
  const alone = batch.length === 1;
  const holdsBefore = new Set(world.model.holds);
  const spentBefore = spentByCappedKeys(world);
  try {
    await Promise.all(
      batch.map(async (each) => {
        // If two quotas are set at once, neither the final one nor that of a month that opens just then is
        // predictable.
        const isMoot = each.kind === "quota" && (isTurning || quotas.has(each.account));
        if (each.kind === "quota") {
          quotas.add(each.account);
        }
        await (isMoot ? undefined : applyOp(world, each, alone));
      }),
    );
    await world.settle();
  } finally {
    isOver = true;
    await watch;
  }
  await world.model.learnCarried(world.ledger);
  await world.model.learnEnds(world.ledger);
  await world.model.check(world.ledger);
  checkCaps(world, spentBefore, (call) => !holdsBefore.has(call));
}

/** Ends all open calls: then nothing is frozen, and every call has one entry. */
async function endHistory(world: LedgerWorld): Promise<void> {
  for (const call of world.model.holds.filter(({ end }) => end === null)) {
    call.attempts.push({ kind: "release" });
    const owner = world.owner.get(call.hold.requestId) ?? 0;
    world.replica(owner).release(call.hold, "the end");
  }
  await world.settle();
  await world.model.learnEnds(world.ledger);
  await world.model.check(world.ledger);
  await world.closeReplicas();
  // The escrows of dead processes.
  const left = await world.ledger.escrows(world.accounts);
  await world.ledger.expire(left.map(({ id }) => id));
  await world.replica(0).sweep();
  for (const accountId of world.accounts) {
    await openMonth(world.ledger.db, { accountId, period: world.period });
    const earlier = (await world.ledger.months([accountId])).filter(({ period }) => period < world.period);
    expect(earlier.map(restOf), "a customer's paid money is in the current month").toEqual(
      earlier.map(() => 0n),
    );
  }
  await world.model.learnCarried(world.ledger);
  for (const row of await world.ledger.months(world.accounts)) {
    expect(row.frozen).toBe(0n);
  }
}

/** Plays a history; throws if the ledger and its model differ. Returns the number of calls that escrows paid. */
export async function playHistory(ledger: Ledger, batches: Op[][], play: Play): Promise<number> {
  const world = await LedgerWorld.create(ledger, play);
  for (const batch of batches) {
    await runBatch(world, batch);
  }
  await endHistory(world);
  return world.model.holds.filter(({ hold }) => hold.drawn !== null).length;
}
