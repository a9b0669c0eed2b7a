import { type Nanos, nanos } from "@/server/base/money";

/** Currencies whose amounts Stripe has in whole units, and in thousandths, which end in zero (docs.stripe.com/currencies). */
const WHOLE = [..."BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF".split(" ")];
const THOUSANDTHS = "BHD JOD KWD OMR TND".split(" ");
/** In hundredths, of which there are none. */
const WHOLE_IN_HUNDREDTHS = ["ISK", "UGX"];

const UNIT = 1_000_000_000n;

/** How many nano-units Stripe counts as one. */
const countedBy = (currency: string): bigint => {
  if (WHOLE.includes(currency)) {
    return UNIT;
  }
  return THOUSANDTHS.includes(currency) ? UNIT / 1_000n : UNIT / 100n;
};

/** The least that amounts in a currency differ by. */
export const stepOf = (currency: string): Nanos =>
  nanos(WHOLE.includes(currency) || WHOLE_IN_HUNDREDTHS.includes(currency) ? UNIT : UNIT / 100n);

/** An amount as Stripe counts it: `12.5` of CNY is 1250. Throws where it is between two steps, or beyond its numbers. */
export function toStripe(amount: Nanos, currency: string): number {
  const counted = amount / countedBy(currency);
  if (amount % stepOf(currency) !== 0n || counted > 99_999_999n) {
    throw new Error(`Stripe has no amount for ${amount} nano-units of ${currency}`);
  }
  return Number(counted);
}

/** And back. `currency` as Stripe writes it: `cny`. null: there is none. */
export const fromStripe = (counted: number | null, currency: string | null): Nanos | null =>
  counted === null || currency === null || !Number.isSafeInteger(counted)
    ? null
    : nanos(BigInt(counted) * countedBy(currency.toUpperCase()));
