import { useFormatter, useTranslations } from "use-intl";
import { type Conditions, printWindow } from "@/server/pricing";

/** The conditions of a price for people, as one list: `prompts above 200,000 tokens, priority tier`. */
export function useConditions(): (conditions: Conditions) => string {
  const t = useTranslations("prices");
  const format = useFormatter();
  return ({ above, tier, window }) =>
    format.list(
      [
        above > 0 ? t("when.above", { tokens: format.number(above) }) : null,
        tier && t(`when.${tier}`),
        window && t("when.window", { window: printWindow(window) }),
      ].filter((text) => text !== null),
      { type: "unit" },
    );
}
