/** The reserve of one server in a history of outages: its keeper, its file, and the runs that claim it. */
import { nanos } from "@/server/base/money";
import { limitReserve, type ReservedAmount, subtractCharges } from "@/server/billing/outage/reserve";
import { deliveredCharge } from "./delivered-charge";
import { requestOf } from "./escrow-model";
import { ALLOWANCE, least, most, type OutageModel } from "./outage-model";

const { accountId } = requestOf("", { key: 0, period: "", amount: 0n });

/** What the directory has of a reserve. `run`: the process that has claimed it. */
type ReserveFile = { state: "sealed" | "withdrawn" | "claimed"; amount: bigint; run: string | null };

/** A charge on disk that a reserve paid. */
type ReservePaid = { processId: string; charge: bigint };

export class ReservePlay {
  readonly files = new Map<string, ReserveFile>();
  /** What each claimed reserve had at most when a run claimed it from its server. */
  readonly claimed = new Map<string, bigint>();
  #holder: string | null = null;
  #amount = 0n;
  #isPublished = false;
  #isAsking = false;
  #serial = 0;
  #turn = 0;

  constructor(readonly model: OutageModel) {}

  /** `takeBackReserve`: the file is the keeper's again, or a run has claimed it and the keeper begins a new reserve. */
  #takeBack(): string {
    const state = this.files.get(this.#holder ?? "")?.state;
    const isOurs =
      this.#holder !== null && (!this.#isPublished || state === "sealed" || state === "withdrawn");
    if (this.#holder !== null && isOurs) {
      this.files.delete(this.#holder);
    } else {
      this.#holder = `reserve_${this.#serial++}`;
      this.#amount = 0n;
    }
    this.#isPublished = false;
    return this.#holder;
  }

  /** `renewReserve`, before its file is published again. null: the keeper still waits for an answer. */
  renew(): { run: () => void; hear: () => void; over: () => void } | null {
    if (this.#isAsking) {
      return null;
    }
    const holder = this.#takeBack();
    const request = { accountId, most: nanos(this.#amount) };
    const turn = ++this.#turn;
    let renewed = this.#amount;
    this.#isAsking = true;
    return {
      run: () => {
        const [grant] = this.model.grant(holder, [request], turn);
        renewed = grant ? least(grant.amount, grant.share) : 0n;
      },
      // The answer to a server that has ended is not heard by the next one.
      hear: () => {
        this.#amount = this.#holder === holder ? renewed : this.#amount;
      },
      over: () => {
        this.#isAsking = this.#holder === holder ? false : this.#isAsking;
      },
    };
  }

  publish(): boolean {
    if (this.#holder === null || this.#isPublished || this.#isAsking) {
      return false;
    }
    const [limited] = limitReserve(
      [{ accountId, amount: nanos(this.#amount) }],
      [{ accountId, allowance: null }],
      nanos(ALLOWANCE),
    );
    this.#amount = limited?.amount ?? 0n;
    this.files.set(this.#holder, { state: "sealed", amount: this.#amount, run: null });
    this.#isPublished = true;
    return true;
  }

  /** Another server begins: nobody can sell from the file of the former one, so it returns its reserve. */
  restart(): void {
    for (const [holder, file] of this.files) {
      if (file.state !== "claimed") {
        this.files.delete(holder);
        this.model.parts.delete(holder);
      }
    }
    this.#holder = null;
    this.#isAsking = false;
  }

  /** `withdrawReserves`: a process hears of a change. */
  withdraw(): void {
    for (const [holder, file] of this.files) {
      if (file.state === "sealed") {
        this.files.set(holder, { ...file, state: "withdrawn" });
      }
    }
  }

  /** `claimReserve` and `partsOf`: a start without the database. null: nothing may be sold. */
  claim(run: string, paid: Iterable<ReservePaid>): { holder: string; parts: ReservedAmount[] } | null {
    const [holder, file] = [...this.files].find(([, { state }]) => state === "sealed") ?? [];
    if (holder === undefined || file === undefined) {
      return null;
    }
    this.claimed.set(holder, most(this.claimed.get(holder) ?? 0n, file.amount));
    this.files.set(holder, { ...file, state: "claimed", run });
    const charges = [...paid]
      .filter(({ processId }) => processId === holder)
      .map(({ charge }, index) => {
        const one = deliveredCharge(`req_${index}`, { part: holder });
        return { ...one, accountId, charge: { ...one.charge, amount: nanos(charge) } };
      });
    return { holder, parts: subtractCharges([{ accountId, amount: nanos(file.amount) }], charges) };
  }

  /** `sweepReserves`: the reserves of ended runs whose charges are all in the ledger. */
  sweep({ isAlive, unsettled }: { isAlive: (run: string) => boolean; unsettled: Set<string> }): number {
    let returned = 0;
    for (const [holder, { state, run }] of this.files) {
      if (state === "claimed" && run !== null && !isAlive(run) && !unsettled.has(holder)) {
        this.model.parts.delete(holder);
        this.files.delete(holder);
        returned++;
      }
    }
    return returned;
  }
}
