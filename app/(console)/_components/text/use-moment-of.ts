import { useFormatter } from "use-intl";

/** Formats a moment for use in a sentence, to the minute, in the reader's zone. */
export function useMomentOf(): (at: string) => string {
  const format = useFormatter();
  return (at) => format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "short" });
}
