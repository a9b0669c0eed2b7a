import { useLocale } from "use-intl";
import { amountText } from "./amount";
import { useInstallation } from "./installation";

/** An exact amount as text, for sentences and charts. `value`: a decimal string in currency units. */
export function useAmount(): (value: string) => string {
  const { currency } = useInstallation();
  const locale = useLocale();
  return (value) => amountText(value, currency, locale);
}
