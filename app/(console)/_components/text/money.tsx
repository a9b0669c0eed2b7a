import { useAmount } from "./use-amount";

/** An exact amount, in digits of equal width. `value`: a decimal string in currency units. */
export function Money({ value }: { value: string }) {
  return <span className="money">{useAmount()(value)}</span>;
}

/** A rounded amount to compare with others, with the exact amount on hover. Decimal points line up in a table. */
export function ShortMoney({ value }: { value: string }) {
  const exact = useAmount()(value);
  const short = useAmount("short")(value);
  const point = short.lastIndexOf(".");
  return (
    <span className="money" title={exact}>
      {short.slice(0, point)}
      <span className="fraction" data-long={short.length - point > ".00".length || undefined}>
        {short.slice(point)}
      </span>
    </span>
  );
}
