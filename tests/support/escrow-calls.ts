import { expect } from "vitest";
import { nanos } from "@/server/base/money";
import type { Drawn } from "@/server/billing/holds/settlement";
import type { UnsettledCharge } from "./escrow-laws";
import { type DrawOutcome, type EscrowModel, requestOf } from "./escrow-model";
import type { EscrowCall, EscrowProcess } from "./escrow-process";
import type { EscrowStatements } from "./escrow-statements";
import type { EscrowStep, Fate } from "./escrow-steps";

/** A charge on disk, and the process that wrote it. */
type StoredCharge = UnsettledCharge & { owner: EscrowProcess; requestId: string; period: string };

export type EscrowCounts = {
  drawn: number;
  late: number;
  regained: number;
  recalled: number;
  stored: number;
  /** Charges of dead processes that others settled. */
  left: number;
};

export const nothingSeen = (): EscrowCounts => ({
  ...{ drawn: 0, late: 0, regained: 0, recalled: 0 },
  ...{ stored: 0, left: 0 },
});

/** The calls of all processes, from the hold to the charge. */
export class EscrowCalls {
  readonly #model: EscrowModel;
  readonly #statements: EscrowStatements;
  readonly #seen: EscrowCounts;
  /** The charges on the disk of the machine, which outlast their processes. */
  readonly #journal = new Map<string, StoredCharge>();
  readonly #charged = new Map<string, bigint>();
  #serial = 0;

  constructor(model: EscrowModel, statements: EscrowStatements, counts: EscrowCounts) {
    this.#model = model;
    this.#statements = statements;
    this.#seen = counts;
  }

  /** The charges on disk. */
  get unsettled(): UnsettledCharge[] {
    return [...this.#journal.values()];
  }

  /** The amounts that clients were charged, by the request. */
  get charged(): ReadonlyMap<string, bigint> {
    return this.#charged;
  }

  hold(owner: EscrowProcess, want: Extract<EscrowStep, { kind: "hold" }>, period: string): void {
    const request = requestOf(`req_${this.#serial++}`, { ...want, period });
    const begin = (isExact: boolean) =>
      owner.calls.set(request.requestId, { request, isExact, isEnding: false });
    const drawn = owner.grants.take(request);
    if (drawn) {
      // Each grant is frozen durably, by a row that belongs to this process for as long as the grant may be used.
      const row = this.#model.rows.get(drawn.escrowId);
      expect(row, "what a call is paid out of is there").toBeDefined();
      this.#seen.drawn++;
      begin(false);
      return;
    }
    const wish = owner.grants.wish(request);
    const sentAt = this.#model.now;
    let answer: ReturnType<EscrowModel["insert"]> = null;
    this.#statements.send({
      owner,
      fate: want.fate,
      run: () => {
        answer = this.#model.insert(wish ? { ...request, escrow: wish } : request);
      },
      hear: () => {
        if (wish && answer?.isEscrow) {
          owner.grants.open(request, { id: wish.id, amount: answer.amount, sentAt });
          this.#seen.drawn++;
          begin(false);
          return;
        }
        if (wish) {
          owner.grants.decline(request);
        }
        if (answer) {
          begin(true);
        }
      },
      miss: () => wish && owner.grants.decline(request),
    });
  }

  end(owner: EscrowProcess, { pick, share, isStored, fate }: Extract<EscrowStep, { kind: "end" }>): void {
    const open = [...owner.calls.values()].filter((call) => !call.isEnding);
    const call = open.at(pick % Math.max(open.length, 1));
    if (!call) {
      return;
    }
    call.isEnding = true;
    const { amount } = call.request;
    const charge = share === null ? null : (amount * share) / 100n;
    const drawn = call.isExact ? null : owner.grants.drawnBy(call.request.requestId);
    if (isStored && charge !== null && drawn !== null) {
      this.#store(owner, call, { drawn, charge });
    } else {
      this.#settle(owner, call, { charge, fate });
    }
  }

  #store(owner: EscrowProcess, call: EscrowCall, { drawn, charge }: { drawn: Drawn; charge: bigint }): void {
    const { requestId, period } = call.request;
    owner.grants.ending(requestId);
    this.#journal.set(requestId, { owner, requestId, period, drawn, charge });
    this.#seen.stored++;
    this.#finish(owner, call, charge);
    if (owner.grants.stored(requestId, nanos(charge))) {
      this.settleStored(owner, "answered");
    }
  }

  /** Settles what is on disk of a process, and of all dead ones. */
  settleStored(settler: EscrowProcess, fate: Fate): void {
    for (const stored of this.#journal.values()) {
      const { owner, requestId, period, drawn, charge } = stored;
      if (owner !== settler && !owner.isDead) {
        continue;
      }
      const sentAt = this.#model.now;
      let outcome: DrawOutcome = "gone";
      this.#statements.send({
        owner: settler,
        fate,
        run: () => {
          outcome = this.#model.draw(drawn.escrowId, requestId, { charge, held: drawn.held });
          if (outcome === "gone") {
            this.#endOwn(requestId, period, charge);
          }
        },
        hear: () => {
          this.#seen.left += owner.isDead && this.#journal.has(requestId) ? 1 : 0;
          if (outcome === "ended" && owner === settler) {
            owner.tranches.renewed([drawn.escrowId], sentAt);
          }
          owner.grants.ended(requestId, nanos(charge));
          this.#journal.delete(requestId);
        },
        miss: () => {},
      });
    }
  }

  #settle(
    owner: EscrowProcess,
    call: EscrowCall,
    { charge, fate }: { charge: bigint | null; fate: Fate },
  ): void {
    const { requestId, period, amount } = call.request;
    const drawn = call.isExact ? null : owner.grants.drawnBy(requestId);
    owner.grants.ending(requestId);
    let outcome = "gone";
    const sentAt = this.#model.now;
    this.#statements.send({
      owner,
      fate,
      run: () => {
        outcome = drawn
          ? this.#model.draw(drawn.escrowId, requestId, { charge, held: amount })
          : this.#endOwn(requestId, period, charge);
      },
      hear: () => {
        if (drawn && outcome === "gone" && charge !== null) {
          // A late charge, by the statement without an escrow.
          call.isExact = true;
          this.#settle(owner, call, { charge, fate: "answered" });
          return;
        }
        if (drawn && outcome === "ended") {
          owner.tranches.renewed([drawn.escrowId], sentAt);
        }
        owner.grants.ended(requestId, nanos(charge ?? 0n));
        this.#finish(owner, call, charge);
      },
      // It is tried again until it is answered, or given up.
      miss: () => {
        if (fate === "unheard") {
          this.#settle(owner, call, { charge, fate: "answered" });
        } else {
          owner.grants.failed(requestId);
          owner.calls.delete(requestId);
        }
      },
    });
  }

  #endOwn(requestId: string, period: string, charge: bigint | null): string {
    const isLate = !this.#model.rows.has(requestId) && !this.#model.entries.has(requestId);
    this.#seen.late += isLate && charge !== null ? 1 : 0;
    this.#model.end(requestId, period, charge);
    return "ended";
  }

  #finish(owner: EscrowProcess, { request: { requestId } }: EscrowCall, charge: bigint | null): void {
    owner.calls.delete(requestId);
    if (charge !== null) {
      this.#charged.set(requestId, charge);
    }
  }
}
