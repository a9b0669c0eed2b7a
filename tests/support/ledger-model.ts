import { expect } from "vitest";
import type { Hold } from "@/server/billing";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "./branded";
import type { Ledger, LedgerEntry } from "./ledger";

/** One attempt to end a hold, and its result for the caller (a release has none). */
type EndAttempt = { kind: "capture"; amount: bigint; isCharged: boolean } | { kind: "release" };

/** The model's state of one hold. `end` is its entry, once there is one; a late capture's `held` is 0. */
export type ModelHold = {
  hold: Hold;
  keyId: KeyId;
  attempts: EndAttempt[];
  /** Its lease is over, so the sweeper may have released it. */
  isExpired: boolean;
  end: { kind: "capture" | "release"; amount: bigint; held: bigint; note: string | null } | null;
};

/** Whether the entry shows that the sweeper assumed the call's process to be dead. */
const isLoss = (entry: { kind: string; note: string | null }) =>
  entry.kind === "release" && entry.note === "expired";

type LedgerMonth = { accountId: AccountId; period: string; quota: bigint; topups: bigint };

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The top-ups of a month that are neither spent nor frozen: its quota is spent first. */
export function restOf({
  quota,
  topups,
  used,
  frozen,
}: Record<"quota" | "topups" | "used" | "frozen", bigint>): bigint {
  const left = quota + topups - used - frozen;
  const rest = left < topups ? left : topups;
  return rest > 0n ? rest : 0n;
}

/**
 * The expected ledger of some accounts, independent of the rooms: it learns from the results of callers. If two callers
 * raced, the ledger decides which one won, if it is one of them.
 */
export class LedgerModel {
  readonly holds: ModelHold[] = [];
  readonly monthlyQuotas = new Map<AccountId, bigint>();
  readonly #months = new Map<string, LedgerMonth>();
  readonly #carried = new Set<string>();
  readonly #paid = new Map<AccountId, bigint>();

  month(accountId: AccountId, period: string): LedgerMonth {
    const key = `${accountId} ${period}`;
    const month = this.#months.get(key) ?? {
      accountId,
      period,
      quota: this.monthlyQuotas.get(accountId) ?? 0n,
      topups: 0n,
    };
    this.#months.set(key, month);
    return month;
  }

  /** Money that an account is given, in a month. */
  topUp(accountId: AccountId, period: string, amount: bigint): void {
    this.month(accountId, period).topups += amount;
    this.#paid.set(accountId, (this.#paid.get(accountId) ?? 0n) + amount);
  }

  /**
   * The money that an account's next month gets when it opens: of each earlier month the top-ups that are neither spent
   * nor frozen, by its row, in which an escrow is frozen as a whole.
   */
  async arriving(ledger: Ledger, accountId: AccountId, period: string): Promise<bigint> {
    const rows = await ledger.months([accountId]);
    return rows.some((row) => row.period === period) ? 0n : sum(rows.map(restOf));
  }

  /** Reads the carry-overs since the last look: whole pairs, from an earlier month to a later one. */
  async learnCarried(ledger: Ledger): Promise<void> {
    const halves = await ledger.carried([...this.monthlyQuotas.keys()]);
    for (const { id, accountId, period, amount, other } of halves) {
      const partner = halves.find((half) => half.id === id && half.period === other);
      expect(partner, "money that leaves a month arrives in another").toMatchObject({
        ...{ accountId, amount: -amount, other: period },
      });
      expect(amount > 0n, "and in a later one").toBe(period > other);
      if (!this.#carried.has(`${id} ${period}`)) {
        this.#carried.add(`${id} ${period}`);
        this.month(accountId, period).topups += amount;
      }
    }
    for (const [accountId, paid] of this.#paid) {
      const topups = [...this.#months.values()].flatMap((month) =>
        month.accountId === accountId ? month.topups : [],
      );
      expect(sum(topups), "no top-up is lost or doubled by its way through the months").toBe(paid);
    }
  }

  /** Of an account's month, or of one key's part of it. */
  figures(
    accountId: AccountId,
    period: string,
    ofKey?: string,
  ): { used: bigint; frozen: bigint; overHold: bigint } {
    let [used, frozen, overHold] = [0n, 0n, 0n];
    for (const { hold, keyId, end } of this.holds) {
      const isOfKey = ofKey === undefined || keyId === ofKey;
      if (hold.accountId === accountId && hold.period === period && isOfKey) {
        frozen += end === null ? hold.amount : 0n;
        if (end?.kind === "capture") {
          used += end.amount;
          overHold += end.amount > end.held ? end.amount - end.held : 0n;
        }
      }
    }
    return { used, frozen, overHold };
  }

  #inUse(escrowId: string): bigint {
    return this.holds
      .filter(({ hold, end }) => end === null && hold.drawn?.escrowId === escrowId)
      .reduce((sum, { hold }) => sum + hold.amount, 0n);
  }

  #overHold(escrowId: string): bigint {
    return this.holds
      .filter(({ hold }) => hold.drawn?.escrowId === escrowId)
      .reduce((sum, { end }) => sum + (end && end.amount > end.held ? end.amount - end.held : 0n), 0n);
  }

  /** The amount that a call may freeze, with the money that its month gets when it opens, of the account's month and, under a cap, of its key's month. */
  available(
    accountId: AccountId,
    period: string,
    { arriving, key }: { arriving: bigint; key: { id: string; cap: bigint | null } },
  ): bigint {
    const { quota, topups } = this.month(accountId, period);
    const { used, frozen } = this.figures(accountId, period);
    const ofAccount = quota + topups + arriving - used - frozen;
    if (key.cap === null) {
      return ofAccount;
    }
    const spent = this.figures(accountId, period, key.id);
    const ofKey = key.cap - spent.used - spent.frozen;
    return ofKey < ofAccount ? ofKey : ofAccount;
  }

  /** The quota that results from setting `target`, in a month that gets `arriving` when it opens. */
  settledQuota(
    accountId: AccountId,
    period: string,
    { target, arriving }: { target: bigint; arriving: bigint },
  ): bigint {
    const { quota, topups } = this.month(accountId, period);
    const { used, frozen } = this.figures(accountId, period);
    const spent = used + frozen - topups - arriving;
    const floor = spent < quota ? spent : quota;
    return target < floor ? floor : target;
  }

  /** Law 2: reads how each hold ended, and compares it with the results of its callers. */
  async learnEnds(ledger: Ledger): Promise<void> {
    const allEntries = await ledger.entriesOfAll(this.holds.map((call) => call.hold.requestId));
    const escrows = new Set((await ledger.escrows([...this.monthlyQuotas.keys()])).map(({ id }) => id));
    for (const call of this.holds) {
      const { drawn, amount } = call.hold;
      const entries = allEntries.filter((entry) => entry.requestId === call.hold.requestId);
      const wasLost = entries.every((entry) => entry.note === "late");
      if (call.isExpired && call.end === null && drawn && wasLost && !escrows.has(drawn.escrowId)) {
        // It went back with the rest of its escrow, which has one entry in the ledger.
        call.end = { kind: "release", amount, held: amount, note: "expired" };
      }
      const kinds = entries.map((entry) => entry.kind);
      expect(new Set(kinds).size, "a request id has at most one capture and one release").toBe(kinds.length);
      const [first, second] = entries;
      if (first && second) {
        expect(isLoss(first) && second.kind === "capture", "both only where the hold was lost").toBe(true);
        expect(second, "what comes after it is marked").toMatchObject({ held: "0", note: "late" });
      }
      for (const entry of entries) {
        this.#learn(call, entry);
      }
      const isOver = call.attempts.length > 0 || call.isExpired;
      expect(call.end !== null, "a hold ends when someone ends it").toBe(isOver);
      for (const attempt of call.attempts) {
        if (attempt.kind === "capture") {
          expect(attempt.isCharged, "a capture says truly whether it charged").toBe(
            call.end?.kind === "capture",
          );
        }
      }
    }
  }

  #learn(call: ModelHold, entry: LedgerEntry): void {
    const { hold, attempts } = call;
    const { kind, note } = entry;
    const end = { kind, amount: BigInt(entry.amount), held: BigInt(entry.held), note };
    const isLate = kind === "capture" && note === "late";
    if (call.end && !(isLate && isLoss(call.end))) {
      const isBefore = isLoss(end) && call.end.note === "late";
      expect(isBefore ? call.end : end, "an ended hold stays as it ended").toEqual(call.end);
      return;
    }
    expect(entry).toMatchObject({ accountId: hold.accountId, period: hold.period });
    expect(end.held).toBe(isLate ? 0n : hold.amount);
    const mayBe = [
      ...attempts.map((attempt) => (attempt.kind === "capture" ? attempt.amount : hold.amount)),
      ...(call.isExpired ? [hold.amount] : []),
    ];
    const kinds = [...attempts.map((attempt) => attempt.kind), ...(call.isExpired ? ["release"] : [])];
    expect(
      kinds.some((kind, index) => kind === end.kind && mayBe[index] === end.amount),
      "a hold ends as one of those who ended it wanted",
    ).toBe(true);
    call.end = end;
  }

  /** Laws 1 and 5 for the committed state: every figure is the model's, and verify finds no drift. */
  async check(ledger: Ledger): Promise<void> {
    const owners = new Map(this.holds.map(({ hold, keyId }) => [keyId, hold.accountId]));
    const { months, keyMonths, escrows } = await ledger.books({
      accountIds: [...this.monthlyQuotas.keys()],
      keyIds: [...owners.keys()],
    });
    /** The expected figures in the rows: an escrow's charges are not in them yet, and all of the escrow is frozen. */
    const recorded = (accountId: AccountId, period: string, ofKey?: string) => {
      const { used, frozen } = this.figures(accountId, period, ofKey);
      const aside = escrows.filter(
        (row) => row.accountId === accountId && row.period === period && (ofKey ?? row.keyId) === row.keyId,
      );
      const captured = aside.reduce((sum, row) => sum + row.captured, 0n);
      const unused = aside.reduce((sum, row) => sum + row.amount - this.#inUse(row.id), 0n);
      return { used: used - captured, frozen: frozen + unused };
    };
    for (const { id, amount, captured } of escrows) {
      const overHold = this.#overHold(id);
      expect(
        amount + overHold >= captured + this.#inUse(id),
        "nothing is spent that was not frozen durably",
      ).toBe(true);
    }
    const expected = [...this.#months.values()].map((month) => {
      const { overHold, ...figures } = this.figures(month.accountId, month.period);
      const excess = figures.used + figures.frozen - month.quota - month.topups;
      expect(excess <= overHold, "no month is overspent but by what upstreams drove above holds").toBe(true);
      return { ...month, ...recorded(month.accountId, month.period) };
    });
    const order = (a: LedgerMonth, b: LedgerMonth) =>
      `${a.accountId} ${a.period}` < `${b.accountId} ${b.period}` ? -1 : 1;
    expect(months.sort(order)).toEqual(expected.sort(order));
    for (const { keyId, period, ...counted } of keyMonths) {
      const figures = recorded(owners.get(keyId) ?? branded(""), period, keyId);
      expect(counted, "a key's month is what its calls used and froze").toEqual(figures);
    }
    expect(await ledger.verify([...this.monthlyQuotas.keys()])).toEqual([]);
  }
}
