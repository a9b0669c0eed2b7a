import { expect } from "vitest";
import { nanos } from "@/server/base/money";
import type { Drawn } from "@/server/billing/holds/settlement";
import { checkLaws, type UnsettledCharge } from "./escrow-laws";
import { type DrawOutcome, EscrowModel, requestOf } from "./escrow-model";
import { type EscrowCall, EscrowProcess } from "./escrow-process";
import { type EscrowStep, type Fate, PROCESSES } from "./escrow-steps";

const QUOTA = 20_000n;

/**
 * A statement under way. `run` commits it; then `hear` gives its process the result, or `miss` reports it as unknown.
 */
type PendingStatement = {
  owner: EscrowProcess;
  fate: Fate;
  run: () => void;
  hear: () => void;
  miss: () => void;
};

/** A charge on disk, and the process that wrote it. */
type StoredCharge = UnsettledCharge & { owner: EscrowProcess; requestId: string; period: string };

type EscrowCounts = {
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

class Play {
  readonly model = new EscrowModel(QUOTA);
  readonly #processes: EscrowProcess[] = [];
  readonly #sent: PendingStatement[] = [];
  readonly #charged = new Map<string, bigint>();
  /** The charges on the disk of the machine, which outlast their processes. */
  readonly #journal = new Map<string, StoredCharge>();
  #serial = 0;
  #month = 1;
  readonly #seen: EscrowCounts;

  constructor(counts: EscrowCounts) {
    this.#seen = counts;
    for (let index = 0; index < PROCESSES; index++) {
      this.#processes.push(this.#boot());
    }
  }

  #boot = () => new EscrowProcess(() => this.model.now, `proc_${this.#serial++}`);
  #of = (index: number) => this.#processes[index] as EscrowProcess;
  #period = () => `2026-0${this.#month}`;

  readonly #acts: { [Kind in EscrowStep["kind"]]: (step: Extract<EscrowStep, { kind: Kind }>) => void } = {
    hold: (step) => this.#hold(this.#of(step.process), step),
    end: (step) => this.#end(this.#of(step.process), step),
    settle: ({ process, fate }) => this.#settleStored(this.#of(process), fate),
    fold: ({ process, fate }) => this.#fold(this.#of(process), fate),
    renew: (step) => this.#renew(this.#of(step.process), step),
    arrive: ({ pick }) => this.#arrive(pick % Math.max(this.#sent.length, 1)),
    recall: ({ process }) => {
      this.#of(process).tranches.retire();
      this.#seen.recalled++;
      this.#fold(this.#of(process), "answered");
    },
    crash: ({ process }) => {
      this.#of(process).isDead = true;
      this.#processes[process] = this.#boot();
    },
    sweep: () => this.model.sweep(),
    wait: ({ ms }) => {
      this.model.now += ms;
    },
    month: () => {
      this.#month = Math.min(this.#month + 1, 9);
    },
  };

  do(each: EscrowStep): void {
    (this.#acts[each.kind] as (step: EscrowStep) => void)(each);
    this.#checkLaws();
  }

  #checkLaws = () => checkLaws(this.model, this.#processes, [...this.#journal.values()]);

  #send(statement: PendingStatement): void {
    this.#sent.push(statement);
  }

  #arrive(index: number): void {
    const [statement] = this.#sent.splice(index, 1);
    if (!statement) {
      return;
    }
    if (statement.fate === "answered" || statement.fate === "unheard") {
      statement.run();
    }
    if (statement.fate === "late") {
      this.#send({ ...statement, fate: "unheard", miss: () => {} });
    }
    if (!statement.owner.isDead) {
      statement.fate === "answered" ? statement.hear() : statement.miss();
    }
  }

  #hold(owner: EscrowProcess, want: Extract<EscrowStep, { kind: "hold" }>): void {
    const request = requestOf(`req_${this.#serial++}`, { ...want, period: this.#period() });
    const begin = (isExact: boolean) =>
      owner.calls.set(request.requestId, { request, isExact, isEnding: false });
    const drawn = owner.grants.take(request);
    if (drawn) {
      // Each grant is frozen durably, by a row that belongs to this process for as long as the grant may be used.
      const row = this.model.rows.get(drawn.escrowId);
      expect(row, "what a call is paid out of is there").toBeDefined();
      this.#seen.drawn++;
      begin(false);
      return;
    }
    const wish = owner.grants.wish(request);
    const sentAt = this.model.now;
    let answer: ReturnType<EscrowModel["insert"]> = null;
    this.#send({
      owner,
      fate: want.fate,
      run: () => {
        answer = this.model.insert(wish ? { ...request, escrow: wish } : request);
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

  #end(owner: EscrowProcess, { pick, share, isStored, fate }: Extract<EscrowStep, { kind: "end" }>): void {
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
      this.#settleStored(owner, "answered");
    }
  }

  #settleStored(settler: EscrowProcess, fate: Fate): void {
    for (const stored of this.#journal.values()) {
      const { owner, requestId, period, drawn, charge } = stored;
      if (owner !== settler && !owner.isDead) {
        continue;
      }
      const sentAt = this.model.now;
      let outcome: DrawOutcome = "gone";
      this.#send({
        owner: settler,
        fate,
        run: () => {
          outcome = this.model.draw(drawn.escrowId, requestId, { charge, held: drawn.held });
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
    const sentAt = this.model.now;
    this.#send({
      owner,
      fate,
      run: () => {
        outcome = drawn
          ? this.model.draw(drawn.escrowId, requestId, { charge, held: amount })
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
    const isLate = !this.model.rows.has(requestId) && !this.model.entries.has(requestId);
    this.#seen.late += isLate && charge !== null ? 1 : 0;
    this.model.end(requestId, period, charge);
    return "ended";
  }

  #finish(owner: EscrowProcess, { request: { requestId } }: EscrowCall, charge: bigint | null): void {
    owner.calls.delete(requestId);
    if (charge !== null) {
      this.#charged.set(requestId, charge);
    }
  }

  #fold(owner: EscrowProcess, fate: Fate): void {
    const folds = owner.tranches.folds();
    const run = () => this.model.fold(folds);
    this.#send({ owner, fate, run, hear: () => folds.forEach(owner.tranches.folded), miss: () => {} });
  }

  #renew(owner: EscrowProcess, { fate, isLocked }: { fate: Fate; isLocked: boolean }): void {
    const rowOf = (id: string) => [id, owner.grants.drawnBy(id)?.escrowId ?? id] as const;
    const rows = new Map([...owner.calls.keys()].map(rowOf));
    const escrows = owner.tranches.rows().map(({ requestId }) => requestId);
    const ids = [...new Set([...rows.values(), ...escrows])];
    const sentAt = this.model.now;
    let renewal: { renewed: string[]; lost: string[] } = { renewed: [], lost: [] };
    this.#send({
      owner,
      fate,
      run: () => {
        renewal = this.model.renew(ids, isLocked);
      },
      hear: () => {
        owner.tranches.renewed(renewal.renewed, sentAt);
        renewal.lost.forEach(owner.tranches.lost);
        for (const [requestId, row] of rows) {
          const call = owner.calls.get(requestId);
          if (call && !call.isEnding && renewal.lost.includes(row)) {
            this.#regain(owner, call);
          }
        }
      },
      miss: () => {},
    });
  }

  /** A call whose money was returned while it lived takes it again, or ends. */
  #regain(owner: EscrowProcess, call: EscrowCall): void {
    if (this.model.rows.has(call.request.requestId)) {
      // The earlier renewal did it and its answer was on its way: a request id is frozen once.
      return;
    }
    const isFrozen = this.model.insert(call.request) !== null;
    this.#seen.regained++;
    call.isExact = true;
    if (!isFrozen) {
      owner.calls.delete(call.request.requestId);
    }
  }

  /**
   * All statements arrive, all processes die, and all leases end: then nothing is frozen, and delivered calls are
   * charged.
   */
  end(): void {
    while (this.#sent.length > 0) {
      this.#arrive(0);
      this.#checkLaws();
    }
    this.model.now += 1_000_000;
    this.model.sweep();
    this.#processes.forEach((owner) => {
      owner.isDead = true;
    });
    this.#settleStored(this.#boot(), "answered");
    while (this.#sent.length > 0) {
      this.#arrive(0);
    }
    this.#checkLaws();
    for (const { frozen } of this.model.months.values()) {
      expect(frozen).toBe(0n);
    }
    for (const [requestId, charge] of this.#charged) {
      expect(this.model.entries.get(requestId), "what was said to be charged is").toMatchObject({
        kind: "capture",
        amount: charge,
      });
    }
  }
}

/** Plays a history against the model of the ledger; throws if a law is broken. */
export function playEscrow(steps: EscrowStep[], counts: EscrowCounts): void {
  const play = new Play(counts);
  for (const each of steps) {
    play.do(each);
  }
  play.end();
}
