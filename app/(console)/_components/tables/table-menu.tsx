import { lazy, Suspense, useState } from "react";
import { piece } from "../data/on-demand";
import type { TableMenuProps } from "./opened-table-menu";
import { TableMenuButton } from "./table-menu-button";

const fetchMenu = piece(() => import("./opened-table-menu").then((module) => module.OpenedTableMenu));
const OpenedTableMenu = lazy(async () => ({ default: await fetchMenu() }));

/** A menu of the table's density and columns. It is fetched on the first click, like `ActionMenu`. */
export function TableMenu(props: TableMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <TableMenuButton aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <OpenedTableMenu {...props} />
    </Suspense>
  ) : (
    button
  );
}
