import { Group, Text } from "@mantine/core";
import {
  type CellContext,
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  useReactTable,
} from "@tanstack/react-table";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { LoadMore } from "./load-more";
import type { Pages } from "./pages-of";
import { ScrollRegion } from "./scroll-region";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData, TValue> {
    /** Figures, which stand at the right. */
    isFigure?: boolean;
    /** The row's name: a header cell for who hears the table. */
    isRowHeader?: boolean;
  }
}

type Props<Row> = {
  /** Names the table for who cannot see it. */
  label: string;
  columns: ColumnDef<Row, unknown>[];
  rows: Row[];
  rowId: (row: Row) => string;
  /** Keyset pages: absent when the list is whole. */
  pages?: Pages;
};

/**
 * A cell's function is called, not made a component as `flexRender` does: columns are made anew with each render, and
 * as components their cells would be taken down and lose focus and state each time. So it calls no hooks itself.
 */
function contentOf<Row>(context: CellContext<Row, unknown>): ReactNode {
  const { cell } = context.column.columnDef;
  return typeof cell === "function" ? cell(context) : cell;
}

/** A table that becomes a list of cards on a phone: each cell then carries its column's name. */
export function DataTable<Row>({ label, columns, rows, rowId, pages }: Props<Row>) {
  const t = useTranslations("common");
  const table = useReactTable({ data: rows, columns, getRowId: rowId, getCoreRowModel: getCoreRowModel() });
  return (
    <>
      <ScrollRegion className="table-scroll" label={label}>
        <table className="table data-table" aria-label={label}>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => (
                  <th key={header.id} scope="col" data-figure={header.column.columnDef.meta?.isFigure}>
                    {flexRender(header.column.columnDef.header, header.getContext())}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id}>
                {row.getVisibleCells().map((cell) => {
                  const { header, meta } = cell.column.columnDef;
                  const Cell = meta?.isRowHeader ? "th" : "td";
                  return (
                    <Cell
                      key={cell.id}
                      scope={meta?.isRowHeader ? "row" : undefined}
                      data-label={typeof header === "string" ? header : undefined}
                      data-figure={meta?.isFigure}
                    >
                      {contentOf(cell.getContext())}
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
          {pages.hasMore ? (
            <LoadMore pages={pages} />
          ) : (
            <Text size="sm" c="dimmed">
              {t("allLoaded")}
            </Text>
          )}
        </Group>
      )}
    </>
  );
}
