import { useFormatter, useTranslations } from "use-intl";

/** Formats durations: `350ms`, `1.28s` and `12.4s`, in the reader's language. */
export function useDuration(): (milliseconds: number) => string {
  const t = useTranslations("requests.durations");
  const format = useFormatter();
  return (milliseconds) =>
    milliseconds < 1_000
      ? t("milliseconds", { value: format.number(milliseconds) })
      : t("seconds", {
          value: format.number(milliseconds / 1_000, {
            maximumFractionDigits: milliseconds < 10_000 ? 2 : 1,
          }),
        });
}
