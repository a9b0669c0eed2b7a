import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { SortOrder } from "./sorted";

type Props = {
  header: string | null;
  isFigure: boolean | undefined;
  from: "medium" | "wide" | undefined;
  /** The column's place in a card. */
  place: string | undefined;
  /** The current order of the rows. */
  order: SortOrder | null;
  /** Whether the rows are ordered by this column. */
  isOrder: boolean;
  /** Absent: rows cannot be sorted by this column. */
  onSort: (() => void) | undefined;
};

/** A column's name; a button if rows can be sorted by it. */
export function ColumnHeader({ header, isFigure, from, place, order, isOrder, onSort }: Props) {
  const t = useTranslations("common");
  if (!onSort) {
    return (
      <th scope="col" data-figure={isFigure} data-from={from}>
        {header === null || place === "ahead" ? (
          <VisuallyHidden>{header ?? t("actions")}</VisuallyHidden>
        ) : (
          header
        )}
      </th>
    );
  }
  const direction = order?.isDescending ? "descending" : "ascending";
  const Arrow = order?.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <th scope="col" data-figure={isFigure} data-from={from} aria-sort={isOrder ? direction : undefined}>
      <UnstyledButton className="sort" onClick={onSort}>
        {header}
        {isOrder ? <Arrow size={14} aria-hidden /> : <IconArrowsSort size={14} aria-hidden />}
      </UnstyledButton>
    </th>
  );
}
