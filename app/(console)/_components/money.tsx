import { useAmount } from "./use-amount";

/** An exact amount, in figures of one width. `value`: a decimal string in currency units. */
export function Money({ value }: { value: string }) {
  return <span className="money">{useAmount()(value)}</span>;
}
