import { useTranslations } from "use-intl";

/** What an attempt came to, in words; one of an older version as it is. */
export function useOutcome(): (outcome: string) => string {
  const t = useTranslations("channels");
  return (outcome) => {
    const name = [`outcomes.${outcome}`, `fault.${outcome}`].find((one) => t.has(one as "fault.ours"));
    return name === undefined ? outcome : t(name as "fault.ours");
  };
}
