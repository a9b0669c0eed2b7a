/** Charges as the ledger records them: the prices and the counts of each class, by its field, and of each unit. */
import { type Nanos, nanos } from "@/server/base/money";
import type { Units } from "@/server/domain/units";
import {
  byField,
  type Counted,
  eachCount,
  explain,
  type PriceName,
  type PriceSheet,
  priceOf,
  pricesOf,
  type TokenField,
  tokenClasses,
  toSheet,
} from "@/server/pricing";

const fieldOf = (item: string): TokenField | null =>
  tokenClasses.find(({ name }) => name === item)?.field ?? null;

/** The prices that the ledger stores with a charge: of all classes, and of the used units. */
export function pricesOfCharge(counted: Counted, sheet: PriceSheet): Record<string, Nanos> {
  const prices = pricesOf(counted, sheet);
  const stored: Record<string, Nanos> = byField(prices);
  for (const [unit, count] of Object.entries(counted.units ?? {})) {
    const price = count > 0 ? priceOf(prices, unit) : null;
    if (price !== null) {
      stored[unit] = price;
    }
  }
  return stored;
}

/** One line of an explained charge. Nano-units. */
export type ChargeLine = {
  class: TokenField | "video" | "unit";
  /** null: not charged by tokens. */
  tokens: number | null;
  /** The unit, as named in `domain/units.ts`, and its count. null: charged by tokens, or a video. */
  unit: { name: string; count: number } | null;
  /** The price of a million tokens, of the unit as `countPerPrice` says, or of the whole. */
  price: Nanos;
  amount: Nanos;
};

/** The fields of a ledger entry that explain its amount. */
type ChargeFields = { prices: Record<string, Nanos> | null; units?: Units | null | undefined } & Record<
  `${TokenField}Tokens`,
  number | null
>;

/** The lines whose sum is a capture. Lines with a count of zero are left out, so a charge of zero may have no lines. */
export function explainCharge({ prices, units, ...counts }: ChargeFields): ChargeLine[] {
  const whole = prices?.video;
  if (whole !== undefined) {
    return [{ class: "video", tokens: null, unit: null, price: whole, amount: whole }];
  }
  const zero = nanos(0n);
  const items = [
    ...tokenClasses.map(({ name, field }) => [name, prices?.[field] ?? zero] as const),
    ...Object.keys(units ?? {}).map((unit) => [unit as PriceName, prices?.[unit] ?? zero] as const),
  ];
  const counted = { ...eachCount((member) => counts[member] ?? 0), units: units ?? undefined };
  return explain(counted, toSheet(items)).map(({ item, count, price, amount }) => {
    const field = fieldOf(item);
    return field
      ? { class: field, tokens: count, unit: null, price, amount }
      : { class: "unit", tokens: null, unit: { name: item, count }, price, amount };
  });
}
