import type { ReactNode } from "react";
import { useTranslations } from "use-intl";

/** A table that adds up: its lines are `SumRow`s. `foot`: the sum, below a sum that is read from top to bottom. */
export function SumTable({
  label,
  children,
  foot,
}: {
  label: string;
  children: ReactNode;
  foot?: ReactNode;
}) {
  const t = useTranslations("billing");
  return (
    <table className="table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t("item")}</th>
          <th scope="col" data-figure>
            {t("amount")}
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot && <tfoot>{foot}</tfoot>}
    </table>
  );
}
