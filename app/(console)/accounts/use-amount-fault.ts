import { useTranslations } from "use-intl";
import { parseMoney } from "@/server/base/money";

/** The problem of a typed amount, in words; null: none. */
export function useAmountFault(): (text: string, floor: "zero" | "aboveZero") => string | null {
  const t = useTranslations("accounts");
  return (text, floor) => {
    const nanos = parseMoney(text);
    if (nanos === null || nanos < 0n) {
      return t("invalidAmount");
    }
    return floor === "aboveZero" && nanos === 0n ? t("amountNotPositive") : null;
  };
}
