import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** A row of a table of facts. `width`: the width of the names' column. */
export const FactRow = ({ name, width, children }: { name: string; width: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th scope="row" w={width}>
      {name}
    </Table.Th>
    <Table.Td className="wrap-anywhere">{children}</Table.Td>
  </Table.Tr>
);
