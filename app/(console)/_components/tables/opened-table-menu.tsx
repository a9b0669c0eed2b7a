import { Menu } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isShown, type Room, withColumn, withUsualColumns } from "./choose-columns";
import { type ChoosableColumn, isOptional } from "./chosen-columns";
import { editKeptLook } from "./kept-look";
import type { TableLook, TableName } from "./table-look";
import { useTableLook } from "./table-look-provider";
import { TableMenuButton } from "./table-menu-button";

export type TableMenuProps = { table: TableName; columns: ChoosableColumn[] };

const densities = ["comfortable", "compact"] as const;

/** The widths of table-columns.css. */
function useRoom(): Room {
  const now = { getInitialValueInEffect: false };
  const isPhone = useMediaQuery("(width < 48em)", false, now);
  const isNarrow = useMediaQuery("(width < 68.75em)", false, now);
  const isMedium = useMediaQuery("(width < 90em)", false, now);
  if (isPhone) {
    return "phone";
  }
  if (isNarrow) {
    return "narrow";
  }
  return isMedium ? "medium" : "wide";
}

/** Opens on mount: the user has already pressed the button that it replaces. */
export function OpenedTableMenu({ table, columns }: TableMenuProps) {
  const t = useTranslations("common");
  const { look, setLook } = useTableLook();
  const change = (edit: (kept: TableLook) => TableLook) => setLook(editKeptLook(edit));
  const room = useRoom();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The focus was on the button, and the menu returns it there.
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <TableMenuButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown className="table-menu">
        <Menu.Label>{t("density")}</Menu.Label>
        <Menu.RadioGroup
          value={look.isCompact ? "compact" : "comfortable"}
          onChange={(chosen) => change((kept) => ({ ...kept, isCompact: chosen === "compact" }))}
        >
          {densities.map((density) => (
            <Menu.RadioItem key={density} value={density}>
              {t(`densities.${density}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t("columns")}</Menu.Label>
        {columns.filter(isOptional).map((column) => (
          <Menu.CheckboxItem
            key={column.id}
            checked={isShown(column, room, { table, look })}
            onChange={(willShow) =>
              change((kept) => withColumn({ column, room, willShow }, { table, look: kept }))
            }
          >
            {column.header}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => change((kept) => withUsualColumns({ table, look: kept }))}>
          {t("usualColumns")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
