import { useTranslations } from "use-intl";

/** An attempt's outcome in words; the bare identifier for an outcome of an older version. */
export function useOutcome(): (outcome: string) => string {
  const t = useTranslations("channels");
  return (outcome) => {
    const name = [`outcomes.${outcome}`, `fault.${outcome}`].find((key) => t.has(key as "fault.ours"));
    return name === undefined ? outcome : t(name as "fault.ours");
  };
}
