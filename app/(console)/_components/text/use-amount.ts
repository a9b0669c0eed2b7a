import { useLocale } from "use-intl";
import { amountText, type Precision } from "./amount";
import { useInstallation } from "./installation";

/** An amount as text, for sentences and charts. `value`: a decimal string in currency units. */
export function useAmount(precision: Precision = "exact", decimals?: number): (value: string) => string {
  const { currency } = useInstallation();
  const locale = useLocale();
  return (value) => amountText(value, { currency, locale, precision, decimals });
}
