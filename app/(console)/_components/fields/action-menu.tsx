import { ActionIcon } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { piece } from "../data/on-demand";
import type { ActionMenuProps } from "../shell/opened-menu";

const fetchMenu = piece(() => import("../shell/opened-menu").then((module) => module.OpenedMenu));
const OpenedMenu = lazy(async () => ({ default: await fetchMenu() }));

/** A button with a menu. The menu is fetched on the first click: its positioning code is larger than most pages. */
export function ActionMenu(props: ActionMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      ref={props.button}
      variant="subtle"
      color="gray"
      size={props.size ?? "md"}
      aria-label={props.label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      {props.icon}
    </ActionIcon>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <OpenedMenu {...props} />
    </Suspense>
  ) : (
    button
  );
}
