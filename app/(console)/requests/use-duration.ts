import { useFormatter } from "use-intl";

/** Formats durations: `350ms`, `1.28s` and `12.4s`, in the reader's language. */
export function useDuration(): (milliseconds: number) => string {
  const format = useFormatter();
  return (milliseconds) =>
    milliseconds < 1_000
      ? format.number(milliseconds, { style: "unit", unit: "millisecond", unitDisplay: "narrow" })
      : format.number(milliseconds / 1_000, {
          style: "unit",
          unit: "second",
          unitDisplay: "narrow",
          maximumFractionDigits: milliseconds < 10_000 ? 2 : 1,
        });
}
