/** The columns of a table that a person has chosen. Pure. */
import type { TableLook, TableName } from "./table-look";

/** The members of a column that decide whether it is shown. */
export type ChoosableColumn = {
  id: string;
  header: string | null;
  isRowHeader?: boolean;
  isKept?: boolean;
  onPhone?: "ahead" | "aside" | "bare" | "line" | "hidden" | undefined;
  from?: "medium" | "wide";
};

/** A row's name, its actions and its checkbox are always there. */
export const isOptional = ({ header, isRowHeader, isKept }: ChoosableColumn): boolean =>
  header !== null && !isRowHeader && !isKept;

export type OfTable = { table: TableName; look: TableLook };

/** Returns a table's columns without the hidden ones. Windows of every width show a chosen column. */
export function chosenColumns<C extends ChoosableColumn>(columns: C[], { table, look }: OfTable): C[] {
  return columns.flatMap((column) => {
    const choice = isOptional(column) ? look.columns.get(`${table}.${column.id}`) : undefined;
    if (choice === undefined) {
      return [column];
    }
    const { from: _, ...everywhere } = column;
    const onPhone = column.onPhone === "hidden" ? undefined : column.onPhone;
    return choice === "hidden" ? [] : [{ ...everywhere, onPhone } as C];
  });
}
