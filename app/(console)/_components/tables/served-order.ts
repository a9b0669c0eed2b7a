import type { SortOrder } from "./sorted";

/** The server's order of a paged table. `by`: the columns that it can sort by, which have an index. */
export type ServedOrder = { order: SortOrder; by: readonly string[]; onOrder: (order: SortOrder) => void };

/** An order as an address and a query write it: a column's name, after a `-` if descending. */
const textOf = ({ by, isDescending }: SortOrder) => `${isDescending ? "-" : ""}${by}`;

/** `sorts`: all orders that the server has, the default first. */
export function servedOrder<Sort extends string>(
  sorts: readonly [Sort, ...Sort[]],
  sort: Sort,
  onSort: (sort: Sort) => void,
): ServedOrder {
  const [usual] = sorts;
  return {
    order: { by: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") },
    by: sorts.filter((choice) => !choice.startsWith("-")),
    // If a column has one direction only, choosing it again returns to the default order.
    onOrder: (order) => onSort(sorts.find((choice) => choice === textOf(order)) ?? usual),
  };
}
