/** What a row is compared by; null: of no such kind, so that it stays at the end. */
export type SortValue = number | string | null;

/** In what order rows are listed. */
export type Order = { by: string; isDescending: boolean };

const compare = (one: number | string, other: number | string): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true });

/** Rows that are alike keep their order. */
export function sorted<Row>(rows: Row[], comparedBy: (row: Row) => SortValue, isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [mine, theirs] = [comparedBy(one), comparedBy(other)];
    if (mine === null || theirs === null) {
      return Number(mine === null) - Number(theirs === null);
    }
    return sign * compare(mine, theirs);
  });
}

/** Magnitudes begin with the greatest and names with the first; the second time it is the other way round. */
export const orderBy = (by: string, order: Order | null, isFigure: boolean): Order => ({
  by,
  isDescending: order?.by === by ? !order.isDescending : isFigure,
});
