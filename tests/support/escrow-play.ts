import { expect } from "vitest";
import { EscrowCalls, type EscrowCounts } from "./escrow-calls";
import { checkLaws } from "./escrow-laws";
import { EscrowModel } from "./escrow-model";
import { type EscrowCall, EscrowProcess } from "./escrow-process";
import { EscrowStatements } from "./escrow-statements";
import { type EscrowStep, type Fate, PROCESSES } from "./escrow-steps";

const QUOTA = 20_000n;

class Play {
  readonly model = new EscrowModel(QUOTA);
  readonly #processes: EscrowProcess[] = [];
  readonly #statements = new EscrowStatements();
  readonly #calls: EscrowCalls;
  #serial = 0;
  #month = 1;
  readonly #seen: EscrowCounts;

  constructor(counts: EscrowCounts) {
    this.#seen = counts;
    this.#calls = new EscrowCalls(this.model, this.#statements, counts);
    for (let index = 0; index < PROCESSES; index++) {
      this.#processes.push(this.#boot());
    }
  }

  #boot = () => new EscrowProcess(() => this.model.now, `proc_${this.#serial++}`);
  #of = (index: number) => this.#processes[index] as EscrowProcess;
  #period = () => `2026-0${this.#month}`;

  readonly #acts: { [Kind in EscrowStep["kind"]]: (step: Extract<EscrowStep, { kind: Kind }>) => void } = {
    hold: (step) => this.#calls.hold(this.#of(step.process), step, this.#period()),
    end: (step) => this.#calls.end(this.#of(step.process), step),
    settle: ({ process, fate }) => this.#calls.settleStored(this.#of(process), fate),
    fold: ({ process, fate }) => this.#fold(this.#of(process), fate),
    renew: (step) => this.#renew(this.#of(step.process), step),
    arrive: ({ pick }) => this.#statements.arrive(pick % Math.max(this.#statements.count, 1)),
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

  #checkLaws = () => checkLaws(this.model, this.#processes, this.#calls.unsettled);

  #fold(owner: EscrowProcess, fate: Fate): void {
    const folds = owner.tranches.folds();
    const run = () => this.model.fold(folds);
    this.#statements.send({
      owner,
      fate,
      run,
      hear: () => folds.forEach(owner.tranches.folded),
      miss: () => {},
    });
  }

  #renew(owner: EscrowProcess, { fate, isLocked }: { fate: Fate; isLocked: boolean }): void {
    const rowOf = (id: string) => [id, owner.grants.drawnBy(id)?.escrowId ?? id] as const;
    const rows = new Map([...owner.calls.keys()].map(rowOf));
    const escrows = owner.tranches.rows().map(({ requestId }) => requestId);
    const ids = [...new Set([...rows.values(), ...escrows])];
    const sentAt = this.model.now;
    let renewal: { renewed: string[]; lost: string[] } = { renewed: [], lost: [] };
    this.#statements.send({
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
    while (this.#statements.count > 0) {
      this.#statements.arrive(0);
      this.#checkLaws();
    }
    this.model.now += 1_000_000;
    this.model.sweep();
    this.#processes.forEach((owner) => {
      owner.isDead = true;
    });
    this.#calls.settleStored(this.#boot(), "answered");
    while (this.#statements.count > 0) {
      this.#statements.arrive(0);
    }
    this.#checkLaws();
    for (const { frozen } of this.model.months.values()) {
      expect(frozen).toBe(0n);
    }
    for (const [requestId, charge] of this.#calls.charged) {
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
