import { Group } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { ColumnHeader } from "./column-header";
import { Dimmed } from "./dimmed";
import { LoadMore } from "./load-more";
import type { Pages } from "./pages-of";
import { ScrollRegion } from "./scroll-region";
import { type Order, orderBy, type SortValue, sorted } from "./sorted";
import { useFits } from "./use-fits";

export type Column<Row> = {
  id: string;
  /** null: that of what can be done with a row, which is only heard. */
  header: string | null;
  cell: (row: Row) => ReactNode;
  /** Figures, which stand at the right. */
  isFigure?: boolean;
  /** The row's name: a header cell for who hears the table. */
  isRowHeader?: boolean;
  /** What rows are compared by, where a reader may list them by this column. */
  value?: (row: Row) => SortValue;
  /**
   * Its place in the card that a row is on a phone: before or beside the row's name, below it without its column's name,
   * or nowhere, where a row leads to what tells it. Below it with the column's name if this is absent.
   */
  onPhone?: "ahead" | "aside" | "bare" | "hidden";
};

type Props<Row> = {
  /** Names the table for who cannot see it. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  /** Keyset pages: absent when the list is whole. */
  pages?: Pages;
};

const placeOf = <Row,>({ onPhone, header }: Column<Row>) =>
  onPhone ?? (header === null ? "aside" : undefined);

/** A table, dense on a desk; on a phone a list of cards, which name the columns. A list that is whole can be sorted. */
export function DataTable<Row>({ label, columns, rows, rowId, pages }: Props<Row>) {
  const t = useTranslations("common");
  const region = useRef<HTMLElement>(null);
  const fits = useFits(region);
  const [order, setOrder] = useState<Order | null>(null);
  const isWhole = !pages?.hasMore;
  const comparedBy = isWhole && columns.find(({ id }) => id === order?.by)?.value;
  const listed = order && comparedBy ? sorted(rows, comparedBy, order.isDescending) : rows;
  return (
    <>
      <ScrollRegion ref={region} className="table-scroll" label={label} fits={fits}>
        <table className="table data-table" aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ id, header, isFigure, value }) => (
                <ColumnHeader
                  key={id}
                  {...{ header, isFigure, order, isOrder: Boolean(comparedBy) && order?.by === id }}
                  onSort={
                    isWhole && value && rows.length > 1
                      ? () => setOrder(orderBy(id, order, isFigure ?? false))
                      : undefined
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.map((row) => (
              <tr key={rowId(row)}>
                {columns.map((column) => {
                  const { id, header, cell, isFigure, isRowHeader } = column;
                  const Cell = isRowHeader ? "th" : "td";
                  return (
                    <Cell
                      key={id}
                      scope={isRowHeader ? "row" : undefined}
                      data-label={header}
                      data-figure={isFigure}
                      data-place={placeOf(column)}
                    >
                      {cell(row)}
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {pages && (
        <Group justify="center" mt="md">
          {pages.hasMore ? <LoadMore pages={pages} /> : <Dimmed>{t("allLoaded")}</Dimmed>}
        </Group>
      )}
    </>
  );
}
