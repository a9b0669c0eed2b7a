import { describe, expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import type { Draw } from "@/server/billing/escrow/draw-sums";
import { drawOnEscrows } from "@/server/billing/escrow/draws";
import { endHolds } from "@/server/billing/holds/end-calls";
import { insertHolds } from "@/server/billing/holds/holds";
import type { KeyCharge } from "@/server/billing/holds/settlement";
import { openPurse } from "@/server/billing/months/months";
import { sqlOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { billingRoom } from "@/tests/support/billing-room";
import { chargeOf } from "@/tests/support/ledger";

const { room } = billingRoom({ leaseSeconds: 3 });

const PERIOD = "2026-05";
const LEASE_SECONDS = 60;
const drawing = { inUseOf: () => nanos(0n), leaseSeconds: LEASE_SECONDS };

/** A payer with an open month, and a call of it. */
async function payer(keyCap: bigint | null = null) {
  const accountId = await room.account(100_000n);
  await openPurse(room.ledger.db, { ...room.payer(accountId, keyCap), period: PERIOD });
  const call = () => ({ ...room.payer(accountId), period: PERIOD, amount: nanos(10n), minimum: nanos(10n) });
  return { accountId, call };
}

/** A payer with an escrow, and an unfinished call that it pays. */
async function newEscrow() {
  const { accountId, call } = await payer();
  const escrowId = newId("esc");
  const escrow = { id: escrowId, processId: newId("proc"), amount: nanos(1_000n) };
  const [held] = await insertHolds(room.ledger.db, [{ ...call(), escrow }], LEASE_SECONDS);
  expect(held?.isEscrow).toBe(true);
  const draw = (charge: Partial<KeyCharge> = {}): Draw => {
    const { requestId, keyId } = call();
    return {
      ...{ requestId, accountId, period: PERIOD },
      charge: { ...chargeOf(7n), keyId, ...charge },
      draw: { escrowId, held: nanos(10n) },
    };
  };
  return { accountId, escrowId, draw };
}

const capturedOf = async (accountId: AccountId) =>
  (await room.ledger.escrows([accountId])).map(({ captured }) => captured);

/** A call's entries in the ledger, without the members that differ between two calls. */
const storedOf = async (requestId: string) => {
  const [row] = await sqlOf(room.ledger.db)`
    select to_jsonb(entry) - 'id' - 'account_id' - 'key_id' - 'created_at' as entry
    from ledger_entries as entry where id = ${requestId}`;
  return row?.entry;
};

describe("a batch of calls that escrows pay", () => {
  test("ends the calls that have not ended, and charges the others no second time", async () => {
    const { accountId, draw } = await newEscrow();
    const [first, second, third] = [draw(), draw(), draw()];
    const { db } = room.ledger;
    expect(await drawOnEscrows(db, [first], drawing)).toEqual(["ended"]);
    expect(await drawOnEscrows(db, [second, first, third], drawing)).toEqual(["ended", "capture", "ended"]);
    expect(await drawOnEscrows(db, [first, third], drawing)).toEqual(["capture", "capture"]);
    expect(await capturedOf(accountId)).toEqual([21n]);
  });

  test("charges nothing to an escrow that is gone, and ends the calls of the others", async () => {
    const [here, gone] = [await newEscrow(), await newEscrow()];
    await sqlOf(room.ledger.db)`update account_months set frozen = 0 where account_id = ${gone.accountId}`;
    await sqlOf(room.ledger.db)`delete from holds where account_id = ${gone.accountId}`;
    const draws = [gone.draw(), here.draw({ cost: nanos(3n) }), gone.draw({ cost: nanos(3n) }), here.draw()];
    expect(await drawOnEscrows(room.ledger.db, draws, drawing)).toEqual(["gone", "ended", "gone", "ended"]);
    expect(await capturedOf(here.accountId)).toEqual([14n]);
  });

  test("writes the same entry of each call as of a single call", async () => {
    const { draw } = await newEscrow();
    const { db } = room.ledger;
    const { usage } = chargeOf(1n);
    const odd = [
      { note: `a "quote", {braces}, a back\\slash and NULL`, modelId: "null", channelId: null },
      { note: "", modelId: "a model, named so", usage: usage && { ...usage, units: { web_search: 3 } } },
      { usage: null, source: null, cost: nanos(0n) },
    ];
    const both = odd.map((charge) => [draw(charge), draw(charge)] as const);
    for (const [alone] of both) {
      expect(await drawOnEscrows(db, [{ ...alone, note: alone.charge?.note }], drawing)).toEqual(["ended"]);
    }
    const together = both.map(([, each]) => ({ ...each, note: each.charge?.note }));
    expect(await drawOnEscrows(db, together, drawing)).toEqual(["ended", "ended", "ended"]);
    for (const [alone, each] of both) {
      const stored = await storedOf(each.requestId);
      expect(stored).toMatchObject({ kind: "capture", amount: 7, held: 10, model_id: each.charge?.modelId });
      expect(stored).toEqual(await storedOf(alone.requestId));
    }
  });

  test("renews the lease of an escrow only after a twentieth of it, and never that of another process", async () => {
    const { escrowId, draw } = await newEscrow();
    const { db, leaseOf, expire } = room.ledger;
    const moment = async () =>
      (await sqlOf(db)`select expires_at::text as at from holds where request_id = ${escrowId}`)[0]?.at;
    const granted = await moment();
    await drawOnEscrows(db, [draw()], drawing);
    expect(await moment()).toBe(granted);
    await expire([escrowId]);
    await drawOnEscrows(db, [draw()], { ...drawing, inUseOf: () => null });
    expect(await leaseOf(escrowId)).toBeLessThan(0);
    await drawOnEscrows(db, [draw()], drawing);
    expect(await leaseOf(escrowId)).toBeGreaterThan(LEASE_SECONDS / 2);
  });
});

describe("single and batched calls", () => {
  test.each([
    [1, null],
    [3, null],
    [1, 90_000n],
    [3, 90_000n],
  ])("%i at once, under the key's cap %s, move the same money", async (calls, keyCap) => {
    const { accountId, call } = await payer(keyCap);
    const requests = Array.from({ length: calls }, call);
    const { db } = room.ledger;
    const granted = requests.map(() => ({ granted: 10n, isEscrow: false, shortfall: null }));
    expect(await insertHolds(db, requests, LEASE_SECONDS)).toEqual(granted);
    expect(await room.balance(accountId)).toMatchObject({ used: 0n, frozen: 10n * BigInt(calls) });
    const ends = requests.map((request) => ({
      ...request,
      charge: { ...chargeOf(7n), keyId: request.keyId },
    }));
    expect(await endHolds(db, ends)).toEqual(ends.map(() => "ended"));
    expect(await endHolds(db, ends)).toEqual(ends.map(() => "capture"));
    expect(await room.balance(accountId)).toMatchObject({ used: 7n * BigInt(calls), frozen: 0n });
  });

  test("return the money of a hold whose call has an entry already, and charge nothing more", async () => {
    const { accountId, call } = await payer();
    const request = call();
    const { db } = room.ledger;
    const charged = (amount: bigint) => [
      { ...request, charge: { ...chargeOf(amount), keyId: request.keyId } },
    ];
    await insertHolds(db, [request], LEASE_SECONDS);
    await endHolds(db, charged(7n));
    await insertHolds(db, [request], LEASE_SECONDS);
    expect(await endHolds(db, charged(9n))).toEqual(["ended"]);
    expect(await room.balance(accountId)).toMatchObject({ used: 7n, frozen: 0n });
  });

  test("are served in order if their month cannot pay the whole batch", async () => {
    const [poor, rich] = [await payer(), await payer()];
    const { db } = room.ledger;
    const dear = { ...poor.call(), amount: nanos(99_995n), minimum: nanos(99_995n) };
    const requests = [rich.call(), dear, poor.call(), rich.call()];
    const outcomes = await insertHolds(db, requests, LEASE_SECONDS);
    expect(outcomes.map(({ granted }) => granted)).toEqual([10n, 99_995n, null, 10n]);
    expect(outcomes.map(({ shortfall }) => shortfall)).toEqual([null, null, null, null]);
    const unopened = { ...poor.call(), period: "2031-01" };
    expect(await insertHolds(db, [unopened], LEASE_SECONDS)).toMatchObject([{ shortfall: "unopened" }]);
  });

  test("keep the money that they were granted if the statement for others of their batch fails", async () => {
    const [rich, capped] = [await payer(), await payer(90_000n)];
    const { db } = room.ledger;
    const twice = capped.call();
    await insertHolds(db, [twice], LEASE_SECONDS);
    const outcomes = await insertHolds(db, [rich.call(), twice], LEASE_SECONDS);
    expect(outcomes).toMatchObject([
      { granted: 10n },
      { granted: null, failure: { error: { code: "23505" } } },
    ]);
    expect(await room.balance(rich.accountId)).toMatchObject({ frozen: 10n });
    await expect(insertHolds(db, [twice], LEASE_SECONDS)).rejects.toMatchObject({ code: "23505" });
  });
});
