import { Group, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Dimmed } from "./dimmed";
import { LoadMore } from "./load-more";
import type { Pages } from "./pages-of";
import { ScrollRegion } from "./scroll-region";

export type Column<Row> = {
  id: string;
  /** null: that of what can be done with a row, which is only heard. */
  header: string | null;
  cell: (row: Row) => ReactNode;
  /** Figures, which stand at the right. */
  isFigure?: boolean;
  /** The row's name: a header cell for who hears the table. */
  isRowHeader?: boolean;
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

/** A table that becomes a list of cards on a phone: each cell then carries its column's name. */
export function DataTable<Row>({ label, columns, rows, rowId, pages }: Props<Row>) {
  const t = useTranslations("common");
  return (
    <>
      <ScrollRegion className="table-scroll" label={label}>
        <table className="table data-table" aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ id, header, isFigure }) => (
                <th key={id} scope="col" data-figure={isFigure}>
                  {header ?? <VisuallyHidden>{t("actions")}</VisuallyHidden>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowId(row)}>
                {columns.map(({ id, header, cell, isFigure, isRowHeader }) => {
                  const Cell = isRowHeader ? "th" : "td";
                  return (
                    <Cell
                      key={id}
                      scope={isRowHeader ? "row" : undefined}
                      data-label={header}
                      data-figure={isFigure}
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
