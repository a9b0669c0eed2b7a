import type { Nanos } from "@/server/base/money";

/** Time constant of the meter: after this time a charge counts for a third. */
const MEMORY_MS = 2_000;

/** The number of charges within that time that makes a payer busy. */
const BUSY_CALLS = 8;

/** A payer's recent charges: at a steady rate, the sum of two seconds. */
export type SpendMeter = {
  charged: (amount: Nanos) => void;
  /** In nano-units, roughly. */
  amount: () => bigint;
  isBusy: () => boolean;
};

export function createSpendMeter(now: () => number, busyCalls = BUSY_CALLS): SpendMeter {
  let at = now();
  let calls = 0;
  let amount = 0;
  const forget = () => {
    const kept = Math.exp((at - now()) / MEMORY_MS);
    calls *= kept;
    amount *= kept;
    at = now();
  };
  return {
    charged: (charge) => {
      forget();
      calls += 1;
      amount += Number(charge);
    },
    amount: () => {
      forget();
      return BigInt(Math.ceil(amount));
    },
    isBusy: () => {
      forget();
      return calls >= busyCalls;
    },
  };
}
