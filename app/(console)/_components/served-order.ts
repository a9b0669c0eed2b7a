import type { Order } from "./sorted";

/** The order that a server lists a paged table in: by some columns, which its indexes have. */
export type ServedOrder = { order: Order; by: readonly string[]; onOrder: (order: Order) => void };

/** As it stands in an address and in a query: a column's name, behind a `-` if it is descending. */
const textOf = ({ by, isDescending }: Order) => `${isDescending ? "-" : ""}${by}`;

/** `sorts`: all that there are. */
export function servedOrder<Sort extends string>(
  sorts: readonly Sort[],
  sort: Sort,
  onSort: (sort: Sort) => void,
): ServedOrder {
  return {
    order: { by: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") },
    by: sorts.filter((one) => !one.startsWith("-")),
    onOrder: (order) => {
      const chosen = sorts.find((one) => one === textOf(order));
      if (chosen !== undefined) {
        onSort(chosen);
      }
    },
  };
}
