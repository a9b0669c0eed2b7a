import { type Nanos, nanos } from "./money";

const MILLION = 1_000_000n;

/** Nano-units for `tokens` at `price` per million, rounded up. */
export const charge = (tokens: number, price: Nanos): Nanos =>
  nanos((BigInt(tokens) * price + MILLION - 1n) / MILLION);
