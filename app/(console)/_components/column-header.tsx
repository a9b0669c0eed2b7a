import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { Order } from "./sorted";

type Props = {
  header: string | null;
  isFigure: boolean | undefined;
  /** What the rows are listed by. */
  order: Order | null;
  /** Whether that is this column. */
  isOrder: boolean;
  /** Absent: rows cannot be listed by it. */
  onSort: (() => void) | undefined;
};

/** A column's name; a button where rows can be listed by it. */
export function ColumnHeader({ header, isFigure, order, isOrder, onSort }: Props) {
  const t = useTranslations("common");
  if (!onSort) {
    return (
      <th scope="col" data-figure={isFigure}>
        {header ?? <VisuallyHidden>{t("actions")}</VisuallyHidden>}
      </th>
    );
  }
  const direction = order?.isDescending ? "descending" : "ascending";
  const Arrow = order?.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <th scope="col" data-figure={isFigure} aria-sort={isOrder ? direction : undefined}>
      <UnstyledButton className="sort" onClick={onSort}>
        {header}
        {isOrder ? <Arrow size={14} aria-hidden /> : <IconArrowsSort size={14} aria-hidden />}
      </UnstyledButton>
    </th>
  );
}
