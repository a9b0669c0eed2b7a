import { createContext, useContext } from "react";
import { padOf } from "./amount";
import { useAmount } from "./use-amount";

/** The decimals of the longest exact amount of a column, whose points are below each other; null: no column. */
export const ColumnPlaces = createContext<number | null>(null);

/** An exact amount, in digits of equal width. `value`: a decimal string in currency units. */
export function Money({ value, decimals }: { value: string; decimals?: number }) {
  const places = useContext(ColumnPlaces);
  const pad = places === null ? "" : padOf(value, places);
  return (
    <span className="money" data-pad={pad || undefined}>
      {useAmount("exact", decimals)(value)}
    </span>
  );
}

/** The decimals of all amounts in a column; null: each amount for itself. */
export const ColumnDecimals = createContext<number | null>(null);

type ShortProps = {
  value: string;
  decimals?: number;
  /** The amount on hover, if the shown one is not only rounded. */
  exact?: string;
};

/** A rounded amount to compare with others, with the exact amount on hover. In a column all have as many decimals. */
export function ShortMoney({ value, decimals, exact = value }: ShortProps) {
  const ofColumn = useContext(ColumnDecimals) ?? undefined;
  return (
    <span className="money" title={useAmount()(exact)}>
      {useAmount("short", decimals ?? ofColumn)(value)}
    </span>
  );
}
