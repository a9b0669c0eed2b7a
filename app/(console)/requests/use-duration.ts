import { useFormatter, useTranslations } from "use-intl";

/** Formats durations: `350 ms`, `1.28 s` and `12.40 s`, in the reader's language. */
export function useDuration(): (milliseconds: number) => string {
  const t = useTranslations("requests.durations");
  const format = useFormatter();
  return (milliseconds) =>
    milliseconds < 1_000
      ? t("milliseconds", { value: format.number(milliseconds) })
      : t("seconds", {
          value: format.number(milliseconds / 1_000, {
            minimumFractionDigits: 2,
            maximumFractionDigits: 2,
          }),
        });
}
