/** Choosing the columns of a table. Pure; apart from `chosen-columns.ts`, because only an open menu needs it. */
import type { ChoosableColumn, OfTable } from "./chosen-columns";
import type { TableLook } from "./table-look";

/** Windows by their room for columns, as in table-columns.css. */
export type Room = "phone" | "narrow" | "medium" | "wide";

const rooms: Record<NonNullable<ChoosableColumn["from"]>, readonly Room[]> = {
  medium: ["phone", "medium", "wide"],
  wide: ["phone", "wide"],
};

function isUsual({ from, onPhone }: ChoosableColumn, room: Room): boolean {
  return room === "phone" ? onPhone !== "hidden" : from === undefined || rooms[from].includes(room);
}

/** Whether a window of this room shows a column. */
export function isShown(column: ChoosableColumn, room: Room, { table, look }: OfTable): boolean {
  const choice = look.columns.get(`${table}.${column.id}`);
  return choice === undefined ? isUsual(column, room) : choice === "shown";
}

/** `room`: the window for which the person chose. */
type ColumnChoice = { column: ChoosableColumn; room: Room; willShow: boolean };

/** Shows a column, or hides it. A choice that agrees with the window's room is not kept. */
export function withColumn({ column, room, willShow }: ColumnChoice, { table, look }: OfTable): TableLook {
  const columns = new Map(look.columns);
  columns.delete(`${table}.${column.id}`);
  if (willShow !== isUsual(column, room)) {
    columns.set(`${table}.${column.id}`, willShow ? "shown" : "hidden");
  }
  return { ...look, columns };
}

/** Removes the choices of one table's columns. */
export const withUsualColumns = ({ table, look }: OfTable): TableLook => ({
  ...look,
  columns: new Map([...look.columns].filter(([column]) => !column.startsWith(`${table}.`))),
});
