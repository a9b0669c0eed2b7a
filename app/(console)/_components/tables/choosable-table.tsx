import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { chosenColumns } from "./chosen-columns";
import { DataTable, type DataTableProps } from "./data-table";
import type { TableName } from "./table-look";
import { useTableLook } from "./table-look-provider";
import { TableMenu } from "./table-menu";

type Props<Row> = Omit<DataTableProps<Row>, "toolbar"> & {
  /** The choices are kept under it. */
  name: TableName;
  /** Text above the table. Without one, the menu is at the end of the page's filters (`.filters`), right above. */
  note?: ReactNode;
};

/** A table whose columns people choose. */
export function ChoosableTable<Row>({ name, note, columns, ...table }: Props<Row>) {
  const { look } = useTableLook();
  return (
    <DataTable
      {...table}
      columns={chosenColumns(columns, { table: name, look })}
      toolbar={
        <Group
          className="table-toolbar"
          data-lone={!note || undefined}
          justify="space-between"
          gap="sm"
          wrap="nowrap"
        >
          <div>{note}</div>
          <TableMenu table={name} columns={columns} />
        </Group>
      }
    />
  );
}
