import { Menu, Text } from "@mantine/core";
import { IconCheck, type IconProps } from "@tabler/icons-react";
import Link from "next/link";
import { type ComponentType, Fragment, type RefObject, useEffect, useRef, useState } from "react";
import { MenuButton, type MenuButtonLook } from "../fields/menu-button";

type MenuEntry = {
  label: string;
  icon?: ComponentType<IconProps>;
  /** An entry is either a link or an action. */
  href?: string;
  onChoose?: () => void;
  /** Cannot be undone. */
  isDanger?: boolean;
  isDisabled?: boolean;
  /** In a list of choices: the current one. */
  isCurrent?: boolean;
  /** The label's own language. */
  lang?: string;
};

export type ActionMenuProps = MenuButtonLook & {
  /** For callers that give the focus to the button. */
  button?: RefObject<HTMLButtonElement | null>;
  /** Text above the entries. */
  note?: string;
  entries: MenuEntry[];
};

function Entry({ entry }: { entry: MenuEntry }) {
  const { icon: Icon } = entry;
  const look = {
    leftSection: Icon && <Icon size={16} aria-hidden />,
    rightSection: entry.isCurrent && <IconCheck size={16} aria-hidden />,
    "aria-current": entry.isCurrent,
    lang: entry.lang,
    children: entry.label,
    ...(entry.isDanger && { color: "red" }),
  };
  return entry.href === undefined ? (
    <Menu.Item {...look} disabled={entry.isDisabled ?? false} onClick={entry.onChoose} />
  ) : (
    <Menu.Item {...look} component={Link} href={entry.href} prefetch={false} />
  );
}

/** Opens on mount: the user has already pressed the button that it replaces. */
export function OpenedMenu({ button, note, entries, ...look }: ActionMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLButtonElement>(null);
  const target = button ?? own;
  useEffect(() => {
    // The focus was on the button, and the menu returns it there.
    target.current?.focus();
    setOpen(true);
  }, [target]);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <MenuButton {...look} ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        {note && (
          <Text size="sm" px="sm" py={6} c="dimmed" className="wrap-anywhere">
            {note}
          </Text>
        )}
        {entries.map((entry) => (
          <Fragment key={entry.label}>
            {entry.isDanger && <Menu.Divider />}
            <Entry entry={entry} />
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
