import { useAmount } from "./use-amount";

/** An exact amount, in figures of one width. `value`: a decimal string in currency units. */
export function Money({ value }: { value: string }) {
  return <span className="money">{useAmount()(value)}</span>;
}

/** An amount to compare with others: rounded, its exact form at hand. What follows the point lines up in a table. */
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
