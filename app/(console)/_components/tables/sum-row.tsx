import type { ReactNode } from "react";
import { Money } from "../text/money";

type Props = {
  name: string;
  hint?: ReactNode;
  amount: string;
  /** In front of the amount, for a sum that is read from top to bottom. */
  sign?: string;
  /** A line that sums up those above it. */
  isSum?: boolean;
};

/** A line of a sum: its name and its amount. */
export const SumRow = ({ name, hint, amount, sign, isSum = false }: Props) => (
  <tr data-sum={isSum || undefined}>
    <th scope="row" className="sum-name">
      {name}
      {hint}
    </th>
    <td data-figure className="sum-amount">
      {sign} <Money value={amount} />
    </td>
  </tr>
);
