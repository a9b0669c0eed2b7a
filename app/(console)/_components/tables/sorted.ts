/** The value to sort a row by; null: the row has none and goes to the end. */
export type SortValue = number | string | null;

/** The order of a table's rows. */
export type SortOrder = { by: string; isDescending: boolean };

const compare = (left: number | string, right: number | string): number =>
  typeof left === "number" && typeof right === "number"
    ? left - right
    : String(left).localeCompare(String(right), undefined, { numeric: true });

/** Sorts rows; equal rows keep their order. */
export function sorted<Row>(rows: Row[], comparedBy: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [mine, theirs] = [comparedBy(left), comparedBy(right)];
    if (mine === null || theirs === null) {
      return Number(mine === null) - Number(theirs === null);
    }
    return sign * compare(mine, theirs);
  });
}

/** The order after a click on a column: figures start descending and names ascending; a second click reverses it. */
export const orderBy = (by: string, order: SortOrder | null, isFigure: boolean): SortOrder => ({
  by,
  isDescending: order?.by === by ? !order.isDescending : isFigure,
});
