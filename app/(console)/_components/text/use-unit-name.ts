import { useTranslations } from "use-intl";
import { unitNameOf } from "@/server/domain/units";

/** The name of a unit: `image:1024x1024:high` is an image of that size and quality. */
export function useUnitName(): (unit: string) => string {
  const t = useTranslations("requests");
  return (unit) => {
    const name = unitNameOf(unit);
    if (name === null) {
      return unit;
    }
    const detail = unit.slice(name.length + 1).replaceAll(":", ", ");
    const label = t(`units.${name}`);
    return detail === "" ? label : t("unitOfImage", { name: label, detail });
  };
}
