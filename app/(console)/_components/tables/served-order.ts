import type { SortOrder } from "./sorted";

/** The server's order of a paged table. */
export type ServedOrder = {
  order: SortOrder;
  /** The columns that it can sort by, which have an index or a bound. */
  by: readonly string[];
  /** Whether it can sort by a column in this direction. */
  has: (order: SortOrder) => boolean;
  onOrder: (order: SortOrder) => void;
};

/** An order as an address and a query write it: a column's name, after a `-` if descending. */
const textOf = ({ by, isDescending }: SortOrder) => `${isDescending ? "-" : ""}${by}`;

const columnOf = (sort: string) => sort.replace(/^-/, "");

/** `sorts`: all orders that the server has, the default first. */
export function servedOrder<Sort extends string>(
  sorts: readonly [Sort, ...Sort[]],
  sort: Sort,
  onSort: (sort: Sort) => void,
): ServedOrder {
  const [usual] = sorts;
  return {
    order: { by: columnOf(sort), isDescending: sort.startsWith("-") },
    by: [...new Set(sorts.map(columnOf))],
    has: (order) => sorts.some((choice) => choice === textOf(order)),
    // If a column has one direction only, choosing it again returns to the default order.
    onOrder: (order) => onSort(sorts.find((choice) => choice === textOf(order)) ?? usual),
  };
}
