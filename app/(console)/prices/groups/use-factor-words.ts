import { useFormatter, useTranslations } from "use-intl";

/** Digits behind a percentage's point: a factor has up to six. */
const DECIMALS = 4;

/** A factor as people read it: `× 0.8`, and by how much that is less or more, `-20%`; null where it is neither. */
export function useFactorWords(): (factor: string) => { times: string; share: string | null } {
  const t = useTranslations("priceGroups");
  const format = useFormatter();
  return (factor) => {
    const share = format.number(Number(factor) - 1, {
      style: "percent",
      maximumFractionDigits: DECIMALS,
      signDisplay: "exceptZero",
    });
    return { times: t("times", { factor }), share: Number(factor) === 1 ? null : share };
  };
}
