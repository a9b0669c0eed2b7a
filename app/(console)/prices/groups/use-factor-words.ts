import { useFormatter, useTranslations } from "use-intl";
import { withMinus } from "../../_components/text/amount";

/** Decimals of a percentage: a factor has up to six. */
const DECIMALS = 4;

/** A factor in words: `× 0.8`, and the difference in per cent, `−20%`; null if there is none. */
export function useFactorWords(): (factor: string) => { times: string; share: string | null } {
  const t = useTranslations("priceGroups");
  const format = useFormatter();
  return (factor) => {
    const share = format.number(Number(factor) - 1, {
      style: "percent",
      maximumFractionDigits: DECIMALS,
      signDisplay: "exceptZero",
    });
    return { times: t("times", { factor }), share: Number(factor) === 1 ? null : withMinus(share) };
  };
}
