import { Group } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { useFits } from "../data/use-fits";
import { columnDecimals } from "../text/amount";
import { ColumnDecimals } from "../text/money";
import { ColumnHeader } from "./column-header";
import { Dimmed } from "./dimmed";
import { LoadMore } from "./load-more";
import type { Pages } from "./pages-of";
import { ScrollRegion } from "./scroll-region";
import type { ServedOrder } from "./served-order";
import { SortSelect } from "./sort-select";
import { orderBy, type SortOrder, type SortValue, sorted } from "./sorted";
import { useTableLook } from "./table-look-provider";

export type Column<Row> = {
  id: string;
  /** null: the column of actions, whose header only screen readers get. */
  header: string | null;
  cell: (row: Row) => ReactNode;
  /** The amount in a row's cell, if the column has amounts: all are shown with as many decimals. */
  amount?: (row: Row) => string | null;
  /** Figures are aligned to the right. */
  isFigure?: boolean;
  /** The row's name: a header cell for screen readers. */
  isRowHeader?: boolean;
  /** The value to sort rows by; absent if the column cannot be sorted. */
  value?: (row: Row) => SortValue;
  /**
   * Its place in a row's card on a phone: before or next to the row's name, below it without the column's name, on a
   * separate line at the end, or hidden if the row's own page shows it. If absent: below the row's name, with the
   * column's name.
   */
  onPhone?: "ahead" | "aside" | "bare" | "line" | "hidden" | undefined;
  /**
   * A column that only wide windows have room for: from 1440 pixels (`wide`), or from 1100 (`medium`). Cards show it. If
   * absent: every table shows it without scrolling.
   */
  from?: "medium" | "wide";
  /** People cannot hide it. */
  isKept?: boolean;
};

export type DataTableProps<Row> = {
  /** Names the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  /** Keyset pages; absent if the list is complete. */
  pages?: Pages;
  /** Absent: the server has only one order. */
  served?: ServedOrder;
  /** A log: each row is one line, and its secondary texts are on wide windows only. */
  isLog?: boolean;
  /** Above the table. */
  toolbar?: ReactNode;
};

const placeOf = <Row,>({ onPhone, header }: Column<Row>) =>
  onPhone ?? (header === null ? "aside" : undefined);

/** How many decimals the amounts of each column have. */
function decimalsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Map<string, number> {
  return new Map(
    columns.flatMap(({ id, amount }) =>
      amount === undefined ? [] : [[id, columnDecimals(rows.flatMap((row) => amount(row) ?? []))]],
    ),
  );
}

type CellsProps<Row> = { columns: Column<Row>[]; row: Row; decimals: Map<string, number> };

/** The cells of a row. */
function Cells<Row>({ columns, row, decimals }: CellsProps<Row>) {
  return columns.map((column) => {
    const { id, header, cell, isFigure, isRowHeader, from } = column;
    const Cell = isRowHeader ? "th" : "td";
    return (
      <Cell
        key={id}
        scope={isRowHeader ? "row" : undefined}
        data-label={header}
        data-figure={isFigure}
        data-from={from}
        data-place={placeOf(column)}
      >
        <ColumnDecimals value={decimals.get(id) ?? null}>{cell(row)}</ColumnDecimals>
      </Cell>
    );
  });
}

/**
 * A table on wide screens; on a phone a list of cards, which name the columns. The browser sorts a complete list, the
 * server any other.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowId, pages, served, isLog, toolbar } = props;
  const t = useTranslations("common");
  const { look } = useTableLook();
  const region = useRef<HTMLElement>(null);
  const fits = useFits(region);
  const [chosen, setOrder] = useState<SortOrder | null>(null);
  const isWhole = !pages?.hasMore;
  const decimals = decimalsOf(columns, rows);
  const comparedBy = isWhole && columns.find(({ id }) => id === chosen?.by)?.value;
  const listed = chosen && comparedBy ? sorted(rows, comparedBy, chosen.isDescending) : rows;
  const order = comparedBy ? chosen : (served?.order ?? null);
  const isServed = (id: string) => served?.by.includes(id) ?? false;
  const canSort = ({ id, value }: Column<Row>) =>
    rows.length > 1 && (isServed(id) || (isWhole && value !== undefined));
  function sort(next: SortOrder) {
    const isByServer = isServed(next.by);
    setOrder(isByServer ? null : next);
    if (isByServer) {
      served?.onOrder(next);
    }
  }
  const sortable = columns.filter(canSort);
  return (
    <div className="table-box">
      {sortable.length > 0 && <SortSelect columns={sortable} order={order} served={served} onSort={sort} />}
      {toolbar}
      <ScrollRegion ref={region} className="table-scroll" label={label} fits={fits}>
        <table
          className={isLog ? "table data-table log" : "table data-table"}
          data-compact={look.isCompact || undefined}
          aria-label={label}
        >
          <thead>
            <tr>
              {columns.map((column) => (
                <ColumnHeader
                  key={column.id}
                  header={column.header}
                  isFigure={column.isFigure}
                  from={column.from}
                  place={placeOf(column)}
                  order={order}
                  isOrder={order?.by === column.id}
                  onSort={
                    canSort(column)
                      ? () => sort(orderBy(column.id, order, column.isFigure ?? false))
                      : undefined
                  }
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {listed.map((row) => (
              <tr key={rowId(row)}>
                <Cells columns={columns} row={row} decimals={decimals} />
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {pages && (pages.hasMore || pages.loaded > 1) && (
        <Group justify="center" mt="md">
          {pages.hasMore ? <LoadMore pages={pages} /> : <Dimmed>{t("allLoaded")}</Dimmed>}
        </Group>
      )}
    </div>
  );
}
