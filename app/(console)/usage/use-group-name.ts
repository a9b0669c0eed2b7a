import { useTranslations } from "use-intl";
import type { UsageFigures } from "./usage-filter";

/** The name of a group; null: all others. */
export function useGroupName({ by, rows }: UsageFigures): (id: string | null) => string {
  const t = useTranslations("usage");
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => {
    if (id === null) {
      return t("others");
    }
    return names.get(id) || id || t(`nameless.${by}`);
  };
}
