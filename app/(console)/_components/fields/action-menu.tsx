import { useState } from "react";
import { onDemand } from "../data/on-demand";
import type { ActionMenuProps } from "../shell/opened-menu";
import { MenuButton } from "./menu-button";

type ButtonProps = ActionMenuProps & { onClick?: () => void };

const ClosedMenu = ({ button: ref, note: _, entries: __, ...look }: ButtonProps) => (
  <MenuButton {...look} ref={ref} aria-haspopup="menu" aria-expanded={false} />
);

const OpenedMenu = onDemand<ActionMenuProps>(
  () => import("../shell/opened-menu").then((module) => module.OpenedMenu),
  ClosedMenu,
);

/** A button with a menu. The menu is fetched on the first click: its positioning code is larger than most pages. */
export function ActionMenu(props: ActionMenuProps) {
  const [isWanted, setWanted] = useState(false);
  return isWanted ? <OpenedMenu {...props} /> : <ClosedMenu {...props} onClick={() => setWanted(true)} />;
}
