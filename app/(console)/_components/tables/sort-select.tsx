import { NativeSelect } from "@mantine/core";
import { IconArrowsSort } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { ServedOrder } from "./served-order";
import type { SortOrder } from "./sorted";

type Props = {
  columns: { id: string; header: string | null }[];
  /** null: the rows are in the order of the server. */
  order: SortOrder | null;
  served: ServedOrder | undefined;
  onSort: (order: SortOrder) => void;
};

/** The order of a list of cards, which has no header to click. */
export function SortSelect({ columns, order, served, onSort }: Props) {
  const t = useTranslations("common");
  const choices = columns
    .flatMap(({ id, header }) =>
      [false, true].map((isDescending) => ({
        header: header ?? "",
        order: { by: id, isDescending },
        value: `${id} ${isDescending}`,
      })),
    )
    .filter((choice) => !served?.by.includes(choice.order.by) || served.has(choice.order));
  return (
    <NativeSelect
      className="table-sort"
      aria-label={t("sortBy")}
      leftSection={<IconArrowsSort size={16} aria-hidden />}
      value={order ? `${order.by} ${order.isDescending}` : ""}
      onChange={({ currentTarget }) => {
        const chosen = choices.find(({ value }) => value === currentTarget.value);
        if (chosen) {
          onSort(chosen.order);
        }
      }}
      data={[
        ...(order ? [] : [{ value: "", label: t("sortBy") }]),
        ...choices.map(({ header, order: { isDescending }, value }) => ({
          value,
          label: t(isDescending ? "sortDown" : "sortUp", { column: header }),
        })),
      ]}
    />
  );
}
