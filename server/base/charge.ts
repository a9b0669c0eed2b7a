import { type Nanos, nanos } from "./money";

const MILLION = 1_000_000n;

/** The charge for `tokens` at `price` per million, in nano-units, rounded up. */
export const charge = (tokens: number, price: Nanos): Nanos =>
  nanos((BigInt(tokens) * price + MILLION - 1n) / MILLION);
