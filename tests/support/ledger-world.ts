import { createAccount } from "@/server/access";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { type Billing, createBilling } from "@/server/billing";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "./branded";
import type { Ledger } from "./ledger";
import { LedgerModel, type ModelHold } from "./ledger-model";
import { ACCOUNTS, CAPS, REPLICAS } from "./ledger-steps";
import { until } from "./until";

export const LEASE_SECONDS = 10;

/**
 * `budgets`: a factor for the quotas, caps and top-ups of the steps. `busyCalls`: the number of charges after which an
 * escrow of their process pays a key's calls, if there is much more than they need.
 */
export type Play = { budgets: bigint; busyCalls?: number; chargesDirectory?: string };

/** Some accounts, the replicas that serve them, and the model of the expected result. */
export class LedgerWorld {
  readonly ledger: Ledger;
  readonly play: Play;
  readonly model = new LedgerModel();
  readonly accounts: AccountId[] = [];
  readonly #replicas: Billing[] = [];
  /** The replica that serves a call, by its request. */
  readonly owner = new Map<string, number>();
  #now = new Date("2026-01-31T23:59:00Z");
  /** Calls whose process did not know their key's cap. */
  readonly unaware = new Set<ModelHold>();
  /** The months in which a call was asked for. */
  readonly periods = new Set<string>();
  static #serial = 0;

  private constructor(ledger: Ledger, play: Play) {
    this.ledger = ledger;
    this.play = play;
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
      db: this.ledger.databaseOf(index),
      clock: () => this.#now,
      timeZone: "UTC",
      log: createLog("silent"),
      leaseSeconds: LEASE_SECONDS,
      ...(this.play.busyCalls !== undefined && { busyCalls: this.play.busyCalls }),
      ...(this.play.chargesDirectory !== undefined && {
        arrearsDirectory: this.play.chargesDirectory,
        storesCharges: true,
      }),
    });
  }

  cap(key: number): bigint | null {
    const cap = CAPS[key] ?? null;
    return cap === null ? null : cap * this.play.budgets;
  }
  replica = (index: number) => this.#replicas[index] as Billing;
  account = (index: number) => this.accounts[index] as AccountId;
  keyId = (account: number, key: number): KeyId => branded(`key_${key}_of_${this.account(account)}`);

  /** Unlike every other of this process. */
  nextNumber = (): number => LedgerWorld.#serial++;

  nextMonth(): void {
    this.#now = new Date(Date.UTC(this.#now.getUTCFullYear(), this.#now.getUTCMonth() + 1, 1));
  }

  async closeReplicas(): Promise<void> {
    await Promise.all(this.#replicas.map((billing) => billing.close({ patienceMs: 0 })));
  }

  get period(): string {
    return this.#now.toISOString().slice(0, 7);
  }

  /** The replicas' processes die, and their leases end. */
  async abandon(crashed: number[]): Promise<void> {
    for (const index of crashed) {
      // Before it could return its escrows.
      await this.ledger.kill(index);
      await this.replica(index).close({ patienceMs: 0 });
      this.#boot(index);
    }
    const lost = this.model.holds.filter(
      ({ hold, end }) => end === null && crashed.includes(this.owner.get(hold.requestId) ?? -1),
    );
    for (const call of lost) {
      call.isExpired = true;
    }
    await this.ledger.expire(lost.map(({ hold }) => hold.drawn?.escrowId ?? hold.requestId));
  }

  /** Releases run in the background: waits until the ended holds are gone. */
  async settle(): Promise<void> {
    const ended = this.model.holds.filter((call) => call.end === null && call.attempts.length > 0);
    await until(async () => ended.length === 0 || !(await this.#isEnding(ended)));
  }

  /** Whether any of these has an open hold, or a part of an existing escrow without an entry. */
  async #isEnding(ended: ModelHold[]): Promise<boolean> {
    const requestIds = ended.map(({ hold }) => hold.requestId);
    if ((await this.ledger.openHolds(requestIds)) > 0) {
      return true;
    }
    const entries = new Set((await this.ledger.entriesOfAll(requestIds)).map(({ requestId }) => requestId));
    const escrows = new Set((await this.ledger.escrows(this.accounts)).map(({ id }) => id));
    return ended.some(
      ({ hold }) => hold.drawn && escrows.has(hold.drawn.escrowId) && !entries.has(hold.requestId),
    );
  }
}
