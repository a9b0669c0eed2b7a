import { Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useMomentOf } from "../_components/text/use-moment-of";
import { useNow } from "../_components/text/use-now";
import type { KeyRow } from "./key";
import { KeyEnd } from "./key-end";

/** The last four characters of a key's secret, and of the previous secret as long as it is accepted. */
export function KeyEnds({ entry }: { entry: Pick<KeyRow, "lastFour" | "oldLastFour" | "oldUntil"> }) {
  const t = useTranslations("keys");
  const momentOf = useMomentOf();
  const now = useNow();
  const { lastFour, oldLastFour, oldUntil } = entry;
  const until = oldUntil === null ? null : new Date(oldUntil);
  return (
    <>
      <KeyEnd kind="sk" lastFour={lastFour} />
      {oldLastFour !== null && until !== null && until.getTime() > now && (
        <Text span inherit display="block">
          {t("oldUntil", {
            lastFour: oldLastFour,
            moment: momentOf(until),
          })}
        </Text>
      )}
    </>
  );
}
