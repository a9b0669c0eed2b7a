import { expect } from "vitest";
import { createAccount } from "@/server/access";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { type Billing, createBilling, recallEscrows, setMonthlyQuota, topUp } from "@/server/billing";
import { openMonth } from "@/server/billing/months/months";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { promised } from "@/tests/support/refusal";
import { branded } from "./branded";
import { chargeOf, type Ledger } from "./ledger";
import { LedgerModel, type ModelHold, restOf } from "./ledger-model";
import { ACCOUNTS, CAPS, type Op, REPLICAS } from "./ledger-steps";
import { until } from "./until";

export const LEASE_SECONDS = 10;

/**
 * `budgets`: a factor for the quotas, caps and top-ups of the steps. `busyCalls`: the number of charges after which an
 * escrow of their process pays a key's calls, if there is much more than they need.
 */
export type Play = { budgets: bigint; busyCalls?: number; chargesDirectory?: string };

/** Some accounts, the replicas that serve them, and the model of the expected result. */
class LedgerWorld {
  readonly #ledger: Ledger;
  readonly #play: Play;
  readonly model = new LedgerModel();
  readonly accounts: AccountId[] = [];
  readonly #replicas: Billing[] = [];
  readonly #owner = new Map<string, number>();
  #now = new Date("2026-01-31T23:59:00Z");
  readonly #unaware = new Set<ModelHold>();
  readonly #periods = new Set<string>();
  static #serial = 0;

  private constructor(ledger: Ledger, play: Play) {
    this.#ledger = ledger;
    this.#play = play;
  }

  static async create(ledger: Ledger, play: Play): Promise<LedgerWorld> {
    const world = new LedgerWorld(ledger, play);
    for (let index = 0; index < ACCOUNTS; index++) {
      const name = `laws ${LedgerWorld.#serial++}`;
      const { id } = await createAccount(ledger.db, {
        name,
        monthlyQuotaNanos: nanos(1_000n * play.budgets),
      });
      world.accounts.push(id);
      world.model.monthlyQuotas.set(id, 1_000n * play.budgets);
    }
    for (let index = 0; index < REPLICAS; index++) {
      world.#boot(index);
    }
    return world;
  }

  #boot(index: number): void {
    this.#replicas[index] = createBilling({
      db: this.#ledger.databaseOf(index),
      clock: () => this.#now,
      timeZone: "UTC",
      log: createLog("silent"),
      leaseSeconds: LEASE_SECONDS,
      ...(this.#play.busyCalls !== undefined && { busyCalls: this.#play.busyCalls }),
      ...(this.#play.chargesDirectory !== undefined && {
        arrearsDirectory: this.#play.chargesDirectory,
        storesCharges: true,
      }),
    });
  }
  #cap(key: number): bigint | null {
    const cap = CAPS[key] ?? null;
    return cap === null ? null : cap * this.#play.budgets;
  }
  #replica = (index: number) => this.#replicas[index] as Billing;
  #account = (index: number) => this.accounts[index] as AccountId;
  #keyId = (account: number, key: number): KeyId => branded(`key_${key}_of_${this.#account(account)}`);
  get period(): string {
    return this.#now.toISOString().slice(0, 7);
  }

  /** Runs ops at once, started in the given order, and checks every law on the committed result. */
  async run(batch: Op[]): Promise<void> {
    let isOver = false;
    // Every state in between was committed, so it must be lawful, too.
    const watch = (async () => {
      while (!isOver) {
        expect(await this.#ledger.verify(this.accounts)).toEqual([]);
      }
    })();
    // It is awaited below, maybe long after it has failed.
    watch.catch(() => {});
    const crashed = batch.flatMap((each) => (each.kind === "crash" ? [each.replica] : []));
    await this.#abandon(crashed);
    const quotas = new Set<number>();
    const isTurning = batch.length > 1 && batch.some((each) => each.kind === "month");
    const alone = batch.length === 1;
    const holdsBefore = new Set(this.model.holds);
    const spentBefore = this.#spentByCappedKeys();
    try {
      await Promise.all(
        batch.map(async (each) => {
          // If two quotas are set at once, neither the final one nor that of a month that opens just then is
          // predictable.
          const isMoot = each.kind === "quota" && (isTurning || quotas.has(each.account));
          if (each.kind === "quota") {
            quotas.add(each.account);
          }
          await (isMoot ? undefined : this.#apply(each, alone));
        }),
      );
      await this.#settle();
    } finally {
      isOver = true;
      await watch;
    }
    await this.model.learnCarried(this.#ledger);
    await this.model.learnEnds(this.#ledger);
    await this.model.check(this.#ledger);
    this.#checkCaps(spentBefore, (call) => !holdsBefore.has(call));
  }

  /** The used and frozen money of each capped key in each month, without amounts by which upstreams exceeded holds. */
  #spentByCappedKeys() {
    return this.accounts.flatMap((accountId, account) =>
      CAPS.flatMap((_, key) =>
        [...this.#periods].flatMap((period) => {
          const cap = this.#cap(key);
          const keyId = this.#keyId(account, key);
          const { used, frozen, overHold } = this.model.figures(accountId, period, keyId);
          return cap === null ? [] : [{ keyId, period, cap, spent: used + frozen - overHold }];
        }),
      ),
    );
  }

  /** Law 1 for keys: no call whose process knew of the cap was granted more than it. */
  #checkCaps(
    before: { keyId: KeyId; period: string; spent: bigint }[],
    isNew: (call: ModelHold) => boolean,
  ): void {
    const unaware = this.model.holds.filter((call) => isNew(call) && this.#unaware.has(call));
    for (const { keyId, period, cap, spent } of this.#spentByCappedKeys()) {
      const earlier = before.find((each) => each.keyId === keyId && each.period === period)?.spent ?? 0n;
      const allowed = unaware
        .filter((call) => call.keyId === keyId && call.hold.period === period)
        .reduce((sum, { hold }) => sum + hold.amount, earlier > cap ? earlier : cap);
      expect(spent <= allowed, "no key spends more than its cap").toBe(true);
    }
  }

  /** The replicas' processes die, and their leases end. */
  async #abandon(crashed: number[]): Promise<void> {
    for (const index of crashed) {
      // Before it could return its escrows.
      await this.#ledger.kill(index);
      await this.#replica(index).close({ patienceMs: 0 });
      this.#boot(index);
    }
    const lost = this.model.holds.filter(
      ({ hold, end }) => end === null && crashed.includes(this.#owner.get(hold.requestId) ?? -1),
    );
    for (const call of lost) {
      call.isExpired = true;
    }
    await this.#ledger.expire(lost.map(({ hold }) => hold.drawn?.escrowId ?? hold.requestId));
  }

  /** Releases run in the background: waits until the ended holds are gone. */
  async #settle(): Promise<void> {
    const ended = this.model.holds.filter((call) => call.end === null && call.attempts.length > 0);
    await until(async () => ended.length === 0 || !(await this.#isEnding(ended)));
  }

  /** Whether any of these has an open hold, or a part of an existing escrow without an entry. */
  async #isEnding(ended: ModelHold[]): Promise<boolean> {
    const requestIds = ended.map(({ hold }) => hold.requestId);
    if ((await this.#ledger.openHolds(requestIds)) > 0) {
      return true;
    }
    const entries = new Set((await this.#ledger.entriesOfAll(requestIds)).map(({ requestId }) => requestId));
    const escrows = new Set((await this.#ledger.escrows(this.accounts)).map(({ id }) => id));
    return ended.some(
      ({ hold }) => hold.drawn && escrows.has(hold.drawn.escrowId) && !entries.has(hold.requestId),
    );
  }

  async #apply(each: Op, alone: boolean): Promise<void> {
    const { model, period } = this;
    switch (each.kind) {
      case "hold":
        return await this.#hold(each, alone);
      case "capture":
      case "release":
        return await this.#end(each);
      case "top-up": {
        const accountId = this.#account(each.account);
        const amount = nanos(each.amount * this.#play.budgets);
        model.topUp(accountId, period, amount);
        await topUp(this.#ledger.db, { accountId, period, amount, reason: "test" });
        return;
      }
      case "quota": {
        const accountId = this.#account(each.account);
        const quota = nanos(each.amount * this.#play.budgets);
        const arriving = alone ? await model.arriving(this.#ledger, accountId, period) : 0n;
        const expected = model.settledQuota(accountId, period, { target: quota, arriving });
        model.monthlyQuotas.set(accountId, quota);
        await recallEscrows(this.#ledger.db, { accountId });
        const balance = await setMonthlyQuota(this.#ledger.db, { accountId, period, quota });
        if (alone) {
          expect(balance.quota, "a quota stops at what is spent").toBe(expected);
        }
        expect(balance.quota >= quota).toBe(true);
        model.month(accountId, period).quota = balance.quota;
        return;
      }
      case "carry": {
        const accountId = this.#account(each.account);
        model.month(accountId, period);
        await openMonth(this.#ledger.db, { accountId, period });
        return;
      }
      case "crash":
        await this.#replica(each.replica).sweep();
        return;
      case "month":
        this.#now = new Date(Date.UTC(this.#now.getUTCFullYear(), this.#now.getUTCMonth() + 1, 1));
        return;
    }
  }

  async #hold(want: Extract<Op, { kind: "hold" }>, alone: boolean): Promise<void> {
    const { model, period } = this;
    const accountId = this.#account(want.account);
    const minimum = want.minimum === null || want.minimum > want.amount ? want.amount : want.minimum;
    const keyId = this.#keyId(want.account, want.key);
    const cap = this.#cap(want.key);
    const keyCap = want.knowsCap && cap !== null ? nanos(cap) : null;
    const arriving = alone ? await model.arriving(this.#ledger, accountId, period) : 0n;
    const before = model.available(accountId, period, { arriving, key: { id: keyId, cap: keyCap } });
    this.#periods.add(period);
    const requestId = `req_laws_${LedgerWorld.#serial++}`;
    const { amount } = want;
    const asked = { requestId, accountId, keyId, keyCap, amount: nanos(amount), minimum: nanos(minimum) };
    const hold = await promised(() => this.#replica(want.replica).hold(asked)).catch((error: unknown) => {
      expect(error).toMatchObject({ kind: "quotaExhausted" });
      return null;
    });
    if (hold) {
      expect(hold).toMatchObject({ requestId, accountId, period });
      expect(hold.amount <= amount && hold.amount >= minimum).toBe(true);
      const call = { hold, keyId, attempts: [], isExpired: false, end: null };
      model.holds.push(call);
      if (keyCap !== cap) {
        this.#unaware.add(call);
      }
      this.#owner.set(requestId, want.replica);
    }
    if (alone) {
      const affordable = before < amount ? before : amount;
      expect(hold?.amount ?? null, "a hold is what the balance affords").toBe(
        affordable >= minimum ? affordable : null,
      );
    }
  }

  async #end(each: Extract<Op, { kind: "capture" | "release" }>): Promise<void> {
    const call = this.model.holds.at(-1 - each.pick);
    if (!call) {
      return;
    }
    // Only its process knows which calls an escrow pays; when that is dead, no process does.
    const owner = call.hold.drawn === null ? undefined : this.#owner.get(call.hold.requestId);
    const billing = this.#replica(owner ?? each.replica);
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

  /** Ends all open calls: then nothing is frozen, and every call has one entry. */
  async end(): Promise<void> {
    for (const call of this.model.holds.filter(({ end }) => end === null)) {
      call.attempts.push({ kind: "release" });
      const owner = this.#owner.get(call.hold.requestId) ?? 0;
      this.#replica(owner).release(call.hold, "the end");
    }
    await this.#settle();
    await this.model.learnEnds(this.#ledger);
    await this.model.check(this.#ledger);
    await Promise.all(this.#replicas.map((billing) => billing.close({ patienceMs: 0 })));
    // The escrows of dead processes.
    const left = await this.#ledger.escrows(this.accounts);
    await this.#ledger.expire(left.map(({ id }) => id));
    await this.#replica(0).sweep();
    for (const accountId of this.accounts) {
      await openMonth(this.#ledger.db, { accountId, period: this.period });
      const earlier = (await this.#ledger.months([accountId])).filter(({ period }) => period < this.period);
      expect(earlier.map(restOf), "a customer's paid money is in the current month").toEqual(
        earlier.map(() => 0n),
      );
    }
    await this.model.learnCarried(this.#ledger);
    for (const row of await this.#ledger.months(this.accounts)) {
      expect(row.frozen).toBe(0n);
    }
  }
}

/** Plays a history; throws if the ledger and its model differ. Returns the number of calls that escrows paid. */
export async function playHistory(ledger: Ledger, batches: Op[][], play: Play): Promise<number> {
  const world = await LedgerWorld.create(ledger, play);
  for (const batch of batches) {
    await world.run(batch);
  }
  await world.end();
  return world.model.holds.filter(({ hold }) => hold.drawn !== null).length;
}
