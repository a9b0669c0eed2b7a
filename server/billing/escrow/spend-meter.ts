import type { Nanos } from "@/server/base/money";

/** How long a charge is remembered: after this time it counts for a third. */
const MEMORY_MS = 2_000;

/** Charges within that time that make somebody busy. */
const BUSY_CALLS = 8;

/** What somebody has been charged lately: at a steady rate, two seconds of it. */
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
