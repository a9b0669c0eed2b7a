import { expect } from "vitest";
import { nanos } from "@/server/base/money";
import { recallEscrows, setMonthlyQuota, topUp } from "@/server/billing";
import { openMonth } from "@/server/billing/months/months";
import { chargeOf } from "./ledger";
import type { Op } from "./ledger-steps";
import type { LedgerWorld } from "./ledger-world";
import { promised } from "./refusal";

async function holdMoney(
  world: LedgerWorld,
  want: Extract<Op, { kind: "hold" }>,
  alone: boolean,
): Promise<void> {
  const { model, period } = world;
  const accountId = world.account(want.account);
  const minimum = want.minimum === null || want.minimum > want.amount ? want.amount : want.minimum;
  const keyId = world.keyId(want.account, want.key);
  const cap = world.cap(want.key);
  const keyCap = want.knowsCap && cap !== null ? nanos(cap) : null;
  const arriving = alone ? await model.arriving(world.ledger, accountId, period) : 0n;
  const before = model.available(accountId, period, { arriving, key: { id: keyId, cap: keyCap } });
  world.periods.add(period);
  const requestId = `req_laws_${world.nextNumber()}`;
  const { amount } = want;
  const asked = { requestId, accountId, keyId, keyCap, amount: nanos(amount), minimum: nanos(minimum) };
  const hold = await promised(() => world.replica(want.replica).hold(asked)).catch((error: unknown) => {
    expect(error).toMatchObject({ kind: "quotaExhausted" });
    return null;
  });
  if (hold) {
    expect(hold).toMatchObject({ requestId, accountId, period });
    expect(hold.amount <= amount && hold.amount >= minimum).toBe(true);
    const call = { hold, keyId, attempts: [], isExpired: false, end: null };
    model.holds.push(call);
    if (keyCap !== cap) {
      world.unaware.add(call);
    }
    world.owner.set(requestId, want.replica);
  }
  if (alone) {
    const affordable = before < amount ? before : amount;
    expect(hold?.amount ?? null, "a hold is what the balance affords").toBe(
      affordable >= minimum ? affordable : null,
    );
  }
}

async function endCall(
  world: LedgerWorld,
  each: Extract<Op, { kind: "capture" | "release" }>,
): Promise<void> {
  const call = world.model.holds.at(-1 - each.pick);
  if (!call) {
    return;
  }
  // Only its process knows which calls an escrow pays; when that is dead, no process does.
  const owner = call.hold.drawn === null ? undefined : world.owner.get(call.hold.requestId);
  const billing = world.replica(owner ?? each.replica);
  if (each.kind === "release") {
    call.attempts.push({ kind: "release" });
    billing.release(call.hold, "test");
    return;
  }
  const amount = (call.hold.amount * each.share) / 100n;
  const attempt = { kind: "capture" as const, amount, isCharged: true };
  call.attempts.push(attempt);
  await billing.capture(call.hold, chargeOf(amount, each.source)).catch((error: unknown) => {
    expect(error).toMatchObject({ kind: "billingFailed" });
    attempt.isCharged = false;
  });
}

/** Applies an op to the ledger and to its model. `alone`: no other runs at the time, so its result is known. */
export async function applyOp(world: LedgerWorld, each: Op, alone: boolean): Promise<void> {
  const { model, period } = world;
  switch (each.kind) {
    case "hold":
      return await holdMoney(world, each, alone);
    case "capture":
    case "release":
      return await endCall(world, each);
    case "top-up": {
      const accountId = world.account(each.account);
      const amount = nanos(each.amount * world.play.budgets);
      model.topUp(accountId, period, amount);
      await topUp(world.ledger.db, { accountId, period, amount, reason: "test" });
      return;
    }
    case "quota": {
      const accountId = world.account(each.account);
      const quota = nanos(each.amount * world.play.budgets);
      const arriving = alone ? await model.arriving(world.ledger, accountId, period) : 0n;
      const expected = model.settledQuota(accountId, period, { target: quota, arriving });
      model.monthlyQuotas.set(accountId, quota);
      await recallEscrows(world.ledger.db, { accountId });
      const balance = await setMonthlyQuota(world.ledger.db, { accountId, period, quota });
      if (alone) {
        expect(balance.quota, "a quota stops at what is spent").toBe(expected);
      }
      expect(balance.quota >= quota).toBe(true);
      model.month(accountId, period).quota = balance.quota;
      return;
    }
    case "carry": {
      const accountId = world.account(each.account);
      model.month(accountId, period);
      await openMonth(world.ledger.db, { accountId, period });
      return;
    }
    case "crash":
      await world.replica(each.replica).sweep();
      return;
    case "month":
      world.nextMonth();
      return;
  }
}
