import { lazy, Suspense, useState } from "react";
import { piece } from "../data/on-demand";
import type { ActionMenuProps } from "../shell/opened-menu";
import { MenuButton } from "./menu-button";

const fetchMenu = piece(() => import("../shell/opened-menu").then((module) => module.OpenedMenu));
const OpenedMenu = lazy(async () => ({ default: await fetchMenu() }));

/** A button with a menu. The menu is fetched on the first click: its positioning code is larger than most pages. */
export function ActionMenu(props: ActionMenuProps) {
  const { button: ref, note: _, entries: __, ...look } = props;
  const [isWanted, setWanted] = useState(false);
  const button = (
    <MenuButton
      {...look}
      ref={ref}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    />
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <OpenedMenu {...props} />
    </Suspense>
  ) : (
    button
  );
}
