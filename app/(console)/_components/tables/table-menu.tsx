import { useState } from "react";
import { onDemand } from "../data/on-demand";
import type { TableMenuProps } from "./opened-table-menu";
import { TableMenuButton } from "./table-menu-button";

const ComingMenu = () => <TableMenuButton aria-haspopup="menu" aria-expanded={false} />;

const OpenedTableMenu = onDemand(
  () => import("./opened-table-menu").then((module) => module.OpenedTableMenu),
  ComingMenu,
);

/** A menu of the table's density and columns. It is fetched on the first click, like `ActionMenu`. */
export function TableMenu(props: TableMenuProps) {
  const [isWanted, setWanted] = useState(false);
  return isWanted ? (
    <OpenedTableMenu {...props} />
  ) : (
    <TableMenuButton aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
  );
}
