/** Plays a history of outages against the model of the database, with the real memory of processes. */
import { expect } from "vitest";
import { nanos } from "@/server/base/money";
import type { PartGrant } from "@/server/billing/outage/parts";
import { requestOf } from "./escrow-model";
import type { Fate } from "./escrow-steps";
import { OutageDisk } from "./outage-disk";
import { ALLOWANCE, isReserveId, most, OutageModel, QUOTA, sumOf } from "./outage-model";
import { bootProcess, type OutageProcess } from "./outage-process";
import { OutageStatements } from "./outage-statements";
import { OUTAGE_PROCESSES, type OutageStep } from "./outage-steps";
import { ReservePlay } from "./reserve-play";

/** Each kind of event that a history may have. */
export const nothingSold = () => ({
  sold: 0,
  refused: 0,
  shared: 0,
  left: 0,
  beyond: 0,
  returned: 0,
  late: 0,
  covered: 0,
  unheard: 0,
  reserved: 0,
  claimed: 0,
  withdrawn: 0,
  refusedStarts: 0,
  soldAlone: 0,
  settledAlone: 0,
  reserveReturned: 0,
});

class Play {
  readonly #model = new OutageModel();
  readonly #processes: OutageProcess[];
  readonly #disk = new OutageDisk(this.#model);
  readonly #statements = new OutageStatements();
  readonly #reserve = new ReservePlay(this.#model);
  #serial = 0;

  constructor(readonly seen: ReturnType<typeof nothingSold>) {
    this.#processes = Array.from({ length: OUTAGE_PROCESSES }, () => this.#boot());
  }

  #boot = () => bootProcess(`proc_${this.#serial++}`, () => this.#model.now);
  #of = (index: number) => this.#processes[index] as OutageProcess;

  readonly #acts: { [Kind in OutageStep["kind"]]: (step: Extract<OutageStep, { kind: Kind }>) => void } = {
    renew: ({ process, fate }) => this.#renew(this.#of(process), fate),
    cut: ({ process }) => {
      this.#of(process).isCut = true;
    },
    mend: ({ process }) => {
      this.#of(process).isCut = false;
    },
    cutAll: () => {
      for (const process of this.#processes) {
        process.isCut = true;
      }
    },
    hold: ({ process, amount }) => this.#hold(this.#of(process), amount),
    freeze: ({ process, amount }) => this.#freeze(this.#of(process), amount),
    cover: ({ process, ...how }) => this.#cover(this.#of(process), how),
    lose: ({ pick }) => {
      const id = [...this.#model.holds.keys()].at(pick % Math.max(this.#model.holds.size, 1));
      this.#model.holds.delete(id ?? "");
    },
    end: ({ process, pick, share }) => this.#end(this.#of(process), { pick, share }),
    settle: ({ process, fate }) => this.#settle(this.#of(process), fate),
    arrive: ({ pick }) => this.#statements.arrive(pick),
    crash: ({ process }) => {
      const dead = this.#of(process);
      dead.isDead = true;
      dead.calls.clear();
      dead.heldCalls.clear();
      this.#processes[process] = this.#boot();
    },
    sweep: () => this.#sweep(),
    reserve: ({ fate }) => {
      const owner = this.#of(0);
      const asked = owner.isCut ? null : this.#reserve.renew();
      if (asked) {
        this.#statements.send({ ...{ owner, fate }, ...asked });
      }
    },
    publish: () => {
      this.seen.reserved += this.#reserve.publish() ? 1 : 0;
    },
    restart: () => this.#reserve.restart(),
    change: () => {
      this.seen.withdrawn += [...this.#reserve.files.values()].some(({ state }) => state === "sealed")
        ? 1
        : 0;
      this.#reserve.withdraw();
    },
    startAway: ({ process }) => this.#startAway(process),
    wait: ({ ms }) => {
      this.#model.now += ms;
    },
  };

  do(step: OutageStep): void {
    (this.#acts[step.kind] as (step: OutageStep) => void)(step);
    this.#check();
  }

  #isAlive = (id: string) => this.#processes.some((process) => process.id === id);

  /** Its parts are a reserve's, and no others. Without one it sells nothing, and is left out. */
  #startAway(index: number): void {
    this.#acts.crash({ kind: "crash", process: index });
    const started = this.#of(index);
    started.isCut = true;
    const claim = this.#reserve.claim(started.id, this.#disk.stored.values());
    if (claim === null) {
      this.seen.refusedStarts++;
      return;
    }
    started.holder = claim.holder;
    started.parts.restore(claim.parts);
    this.seen.claimed++;
  }

  #renew(owner: OutageProcess, fate: Fate): void {
    owner.parts.note(requestOf("", { key: 0, period: "", amount: 0n }).accountId);
    if (owner.isCut || owner.isAsking || isReserveId(owner.holder)) {
      return;
    }
    const asked = owner.parts.due();
    const turn = this.#serial++ + 1;
    owner.isAsking = true;
    const sentAt = this.#model.now;
    let grants: PartGrant[] = [];
    this.#statements.send({
      ...{ owner, fate },
      run: () => {
        grants = this.#model.grant(owner.id, asked, turn);
        this.seen.shared += this.#model.parts.size > 1 ? 1 : 0;
      },
      hear: () => owner.parts.granted(asked, grants, sentAt),
      over: () => {
        owner.isAsking = false;
      },
    });
  }

  #hold(owner: OutageProcess, amount: bigint): void {
    const requestId = `req_${this.#serial++}`;
    const request = requestOf(requestId, { key: 0, period: "2026-01", amount });
    if (!owner.isCut && !isReserveId(owner.holder)) {
      // The month pays, and no more than it has; the call ends at once.
      this.#model.used += amount <= this.#model.available() ? amount : 0n;
      return;
    }
    const held = owner.parts.take(request);
    if (held === null) {
      this.seen.refused++;
      return;
    }
    this.seen.sold++;
    this.seen.soldAlone += isReserveId(owner.holder) ? 1 : 0;
    owner.calls.set(requestId, { request, held });
    const row = this.#model.parts.get(owner.holder);
    expect(
      row && this.#disk.usedOf(owner) <= row.amount + this.#disk.excessOf(owner),
      "what is sold was recorded",
    ).toBe(true);
  }

  #freeze(owner: OutageProcess, amount: bigint): void {
    if (!owner.isCut && amount <= this.#model.available()) {
      const requestId = `req_${this.#serial++}`;
      this.#model.holds.set(requestId, amount);
      owner.heldCalls.set(requestId, amount);
    }
  }

  /** `chargeHeld`, with a try that has no answer in time. It may arrive before or after the charge on disk, or never. */
  #cover(owner: OutageProcess, { pick, share, fate }: { pick: number; share: bigint; fate: Fate }): void {
    const [requestId, held = 0n] = [...owner.heldCalls].at(pick % Math.max(owner.heldCalls.size, 1)) ?? [];
    const charge = (held * share) / 100n;
    if (requestId === undefined) {
      return;
    }
    const request = requestOf(requestId, { key: 0, period: "2026-01", amount: charge });
    if (!owner.parts.canPay(request)) {
      return;
    }
    owner.heldCalls.delete(requestId);
    const run = () => {
      this.seen.unheard += this.#model.entries.has(requestId) ? 0 : 1;
      this.#model.chargeHeld(requestId, charge);
    };
    this.#statements.send({ owner, fate, run, hear: () => {} });
    owner.parts.take(request);
    owner.parts.charged(requestId, nanos(charge));
    this.#disk.keep(requestId, { owner, charge, held: charge });
    this.seen.covered++;
  }

  #end(owner: OutageProcess, { pick, share }: { pick: number; share: bigint | null }): void {
    const open = [...owner.calls];
    const [requestId, call] = open.at(pick % Math.max(open.length, 1)) ?? [];
    if (requestId === undefined || !call) {
      return;
    }
    owner.calls.delete(requestId);
    if (share === null) {
      owner.parts.released(requestId);
      return;
    }
    const charge = (call.held * share) / 100n;
    owner.parts.charged(requestId, nanos(charge));
    this.#disk.keep(requestId, { owner, charge, held: call.held });
    this.#disk.notePaid(owner, { charge, held: call.held });
  }

  #settle(settler: OutageProcess, fate: Fate): void {
    for (const [requestId, stored] of this.#disk.stored) {
      const { owner } = stored;
      if (owner === settler || owner.isDead) {
        this.#statements.send({
          owner: settler,
          fate,
          run: () => {
            const entered = this.#disk.enter(requestId, stored);
            this.seen.late += entered?.isLate ? 1 : 0;
            this.seen.settledAlone += entered?.isAlone ? 1 : 0;
          },
          hear: () => {
            this.seen.left += owner.isDead ? 1 : 0;
            owner.parts.settled(requestId);
            this.#disk.stored.delete(requestId);
          },
        });
      }
    }
  }

  /** `sweepParts`: of ended processes whose charges are settled, and of those that were silent for too long. */
  #sweep(): void {
    const holders = new Set([...this.#disk.stored.values()].map(({ processId }) => processId));
    this.seen.reserveReturned += this.#reserve.sweep({ isAlive: this.#isAlive, unsettled: holders });
    for (const [id, { expiresAt }] of this.#model.parts) {
      if ((!isReserveId(id) && !this.#isAlive(id) && !holders.has(id)) || expiresAt < this.#model.now) {
        this.#model.parts.delete(id);
        this.seen.returned++;
      }
    }
  }

  #check(): void {
    const { parts, used, entries, excess } = this.#model;
    const recorded = sumOf([...parts.values()].map(({ amount }) => amount));
    expect(recorded <= ALLOWANCE, "all parts are no more than the allowance").toBe(true);
    const oversold = most(used - QUOTA, 0n);
    this.seen.beyond += oversold > 0n ? 1 : 0;
    expect(oversold + recorded <= ALLOWANCE + excess, "what is oversold comes off the parts").toBe(true);
    expect(sumOf(entries.values()) <= used).toBe(true);
    for (const [holder, amount] of this.#reserve.claimed) {
      const held = this.#processes.filter((process) => process.holder === holder).map(({ calls }) => calls);
      const open = sumOf(held.flatMap((calls) => [...calls.values()].map((call) => call.held)));
      expect(open + (this.#disk.paidBy.get(holder) ?? 0n) <= amount, "no reserve is sold twice").toBe(true);
    }
  }

  /** All processes die, and another one settles what is on disk: each charge once. */
  end(): void {
    this.#statements.arriveAll();
    for (const process of this.#processes) {
      process.isDead = true;
    }
    this.#settle(this.#boot(), "answered");
    this.#statements.arriveAll();
    this.#check();
    expect(this.#model.entries).toEqual(this.#disk.charged);
    this.#processes.splice(0);
    this.#reserve.restart();
    this.#model.now += 1e13;
    this.#sweep();
    expect(this.#model.parts.size, "no part is left of the dead").toBe(0);
  }
}

/** Plays a history against the model of the database; throws if a law is broken. */
export function playOutage(steps: OutageStep[], seen: ReturnType<typeof nothingSold>): void {
  const play = new Play(seen);
  for (const step of steps) {
    play.do(step);
  }
  play.end();
}
