import { afterAll, expect } from "vitest";
import { createAccount } from "@/server/access";
import { stopwatch } from "@/server/base/clock";
import { createLog } from "@/server/base/log";
import { type Nanos, nanos } from "@/server/base/money";
import { type Billing, createBilling, getBalance, type Hold, type ReservedAmount } from "@/server/billing";
import { awayFor, type Database, watchAbsence } from "@/server/db";
import { relaxed, sqlOf } from "@/server/db/handles";
import { type AccountId, type KeyId, lowestId } from "@/server/domain/ids";
import { branded } from "./branded";
import { freshDatabase } from "./database";
import { chargeOf, type Ledger, openLedger } from "./ledger";
import { perFile } from "./per-file";
import { until } from "./until";

/** The billing of one process, its incidents, and the number of charges that it keeps on disk. */
export type BillingReplica = {
  billing: Billing;
  incidents: string[];
  waiting: () => number;
  /** Makes and charges a call of the account's only key, under a cap. In nano-units. */
  pay: (accountId: AccountId, amount: bigint) => Promise<void>;
};

type Payer = { requestId: string; accountId: AccountId; keyId: KeyId; keyCap: Nanos | null };
export type Alone = {
  reserve: { holder: string; parts: ReservedAmount[] };
  isShut: () => boolean;
};
type ReplicaOptions = {
  db?: Database;
  arrearsDirectory?: string;
  storesCharges?: boolean;
  /**
   * It serves while its database is away. `allowance`: of each account, in nano-units. `alone`: it was started without its
   * database, until `isShut` is false.
   */
  outage?: { allowance: bigint; longestMs?: number; alone?: Alone };
  leaseSeconds?: number;
  /** Default: the room's clock. */
  clock?: () => Date;
  timeZone?: string;
};
type Locked<T> = { accountId: AccountId; work: () => Promise<T>; until: () => Promise<boolean> };

/** The billing of any number of processes on one database, in May 2026 until a test moves the clock. */
export async function openBillingRoom(usual: { leaseSeconds: number; busyCalls?: number }) {
  const databaseUrl = await freshDatabase();
  const ledger = openLedger(databaseUrl);
  const clock = { now: new Date("2026-05-15T12:00:00Z") };
  const closers: (() => Promise<unknown>)[] = [];
  let serial = 0;
  await ledger.outlastStart(usual.leaseSeconds);
  /** A new call of the account's key. */
  const payer = (accountId: AccountId, keyCap: bigint | null = null): Payer => ({
    requestId: `${lowestId("req", clock.now)}_${serial++}`,
    accountId,
    keyId: branded(`key_of_${accountId}`),
    keyCap: keyCap === null ? null : nanos(keyCap),
  });
  const outageOf = (
    db: Database,
    { allowance, longestMs = 3_600_000, alone }: NonNullable<ReplicaOptions["outage"]>,
  ) => {
    const absence = alone
      ? awayFor({ longestMs, beganAt: stopwatch() }, alone.isShut)
      : watchAbsence(db, { longestMs });
    closers.push(async () => absence.stop());
    return { absence, allowance: nanos(allowance), longestMs, reserve: alone?.reserve };
  };
  const replica = ({ outage, ...options }: ReplicaOptions = {}): BillingReplica => {
    const incidents: string[] = [];
    let waiting = 0;
    const billing = createBilling({
      db: ledger.db,
      clock: () => clock.now,
      timeZone: "UTC",
      log: createLog("silent"),
      observe: (incident) => incidents.push(incident),
      onArrears: (count) => {
        waiting = count;
      },
      ...usual,
      ...options,
      ...(outage && { outage: outageOf(options.db ?? ledger.db, outage) }),
    });
    closers.push(() => billing.close({ patienceMs: 0 }));
    return {
      ...{ billing, incidents, waiting: () => waiting },
      pay: async (accountId, amount) => {
        const call = payer(accountId, 900n);
        const hold = await billing.hold({ ...call, amount: nanos(50n) });
        await billing.capture(hold, chargeOf(amount));
      },
    };
  };
  return {
    ledger,
    databaseUrl,
    clock,
    replica,
    /** A new account; quota in nano-units. */
    account: async (quota: bigint) =>
      (await createAccount(ledger.db, { name: `billing ${serial++}`, monthlyQuotaNanos: nanos(quota) })).id,
    payer,
    /** Makes a call and charges it. Returns the id of the charge. */
    spend: async (accountId: AccountId, amount: bigint): Promise<string> => {
      const { billing } = replica();
      const call = payer(accountId);
      const hold = await billing.hold({ ...call, amount: nanos(amount) });
      await billing.capture(hold, chargeOf(amount));
      await billing.close({ patienceMs: 0 });
      return call.requestId;
    },
    balance: (accountId: AccountId, period = "2026-05") => getBalance(ledger.db, { accountId, period }),
    /** Ends the hold of a call whose process is paused for longer than a lease: `by` returns its money. */
    lose: (requestId: string, by: Billing) =>
      until(async () => {
        // The process may renew its lease before the sweep.
        await ledger.expire([requestId]);
        return (await by.sweep()) > 0;
      }),
    /**
     * Starts `work` while the account's months are locked, so that its statements wait, and unlocks them when `until`
     * is true.
     */
    whileLocked: async <T>({ accountId, work, until: isReached }: Locked<T>) => {
      let pending: Promise<T> | undefined;
      await sqlOf(ledger.db).begin(async (transaction) => {
        await transaction`select 1 from account_months where account_id = ${accountId} for update`;
        pending = work();
        pending.catch(() => {});
        await until(isReached);
      });
      return await (pending as Promise<T>);
    },
    /** Removes a call's hold while no call can freeze money of its account, until `isOver` ends. */
    loseWhileLocked: ({ accountId, requestId }: Hold, isOver: () => Promise<unknown>) =>
      sqlOf(ledger.db).begin(async (transaction) => {
        // As after a power cut: holds do not wait for the disk.
        await transaction`update account_months set frozen = 0 where account_id = ${accountId}`;
        await sqlOf(relaxed(ledger.db))`delete from holds where request_id = ${requestId}`;
        await isOver();
      }),
    onClose: (close: () => Promise<unknown>) => void closers.push(close),
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await ledger.db.close();
    },
  };
}

/** A billing room with its ledger for a file's tests. All accounts are verified at the end. */
export function billingRoom(usual: Parameters<typeof openBillingRoom>[0]) {
  const room = perFile(() => openBillingRoom(usual));
  afterAll(async () => {
    expect(await room.ledger.verify()).toEqual([]);
  });
  return {
    room,
    ledger: new Proxy({} as Ledger, { get: (_, name) => Reflect.get(room.ledger, name) }),
    replica: (options?: ReplicaOptions): Billing => room.replica(options).billing,
    kindsOf: async (requestId: string) =>
      (await room.ledger.entriesOf(requestId)).map(({ kind, held, note }) => [kind, held, note]),
    /** A call of a new account with this quota, and its hold. */
    heldCall: async (billing: Billing, { quota = 1_000n, amount = 100n } = {}) => {
      const accountId = await room.account(quota);
      const hold = await billing.hold({ ...room.payer(accountId), amount: nanos(amount) });
      return { accountId, hold };
    },
  };
}
