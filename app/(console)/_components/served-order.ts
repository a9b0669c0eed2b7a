import type { Order } from "./sorted";

/** The order that a server lists a paged table in: by some columns, which its indexes have. */
export type ServedOrder = { order: Order; by: readonly string[]; onOrder: (order: Order) => void };

/** As it stands in an address and in a query: a column's name, behind a `-` if it is descending. */
const textOf = ({ by, isDescending }: Order) => `${isDescending ? "-" : ""}${by}`;

/** `sorts`: all that there are, the usual one first. */
export function servedOrder<Sort extends string>(
  sorts: readonly [Sort, ...Sort[]],
  sort: Sort,
  onSort: (sort: Sort) => void,
): ServedOrder {
  const [usual] = sorts;
  return {
    order: { by: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") },
    by: sorts.filter((one) => !one.startsWith("-")),
    // What goes one way alone goes back to the usual order when it is chosen again.
    onOrder: (order) => onSort(sorts.find((one) => one === textOf(order)) ?? usual),
  };
}
