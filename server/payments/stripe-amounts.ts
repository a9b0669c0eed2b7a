import { type Nanos, nanos } from "@/server/base/money";

/**
 * Currencies whose amounts Stripe counts in whole units, and in thousandths that end in zero
 * (docs.stripe.com/currencies).
 */
const WHOLE = [..."BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" ")];
const THOUSANDTHS = "BHD JOD KWD OMR TND".split(" ");
/** Counted in hundredths, although the currencies have none. */
const WHOLE_IN_HUNDREDTHS = ["ISK", "UGX"];

const UNIT = 1_000_000_000n;

/** Nano-units in one step of Stripe's count. */
const countedBy = (currency: string): bigint => {
  if (WHOLE.includes(currency)) {
    return UNIT;
  }
  return THOUSANDTHS.includes(currency) ? UNIT / 1_000n : UNIT / 100n;
};

/** The smallest step between amounts in a currency. */
export const stepOf = (currency: string): Nanos =>
  nanos(WHOLE.includes(currency) || WHOLE_IN_HUNDREDTHS.includes(currency) ? UNIT : UNIT / 100n);

/** An amount as Stripe counts it: `12.5` of CNY is 1250. Throws if it is between two steps, or too large for Stripe. */
export function toStripe(amount: Nanos, currency: string): number {
  const counted = amount / countedBy(currency);
  if (amount % stepOf(currency) !== 0n || counted > 99_999_999n) {
    throw new Error(`Stripe has no amount for ${amount} nano-units of ${currency}`);
  }
  return Number(counted);
}

/** The amount of a count. `currency` as Stripe writes it: `cny`. null: no amount. */
export const fromStripe = (counted: number | null, currency: string | null): Nanos | null =>
  counted === null || currency === null || !Number.isSafeInteger(counted)
    ? null
    : nanos(BigInt(counted) * countedBy(currency.toUpperCase()));
