import { Button, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { fromInput } from "../../_components/fields/moment-input";
import { Dimmed } from "../../_components/tables/dimmed";
import { useInstallation } from "../../_components/text/installation";
import { useMomentOf } from "../../_components/text/use-moment-of";
import { nextMonthInput } from "./begin";

/** The moment from which the prices apply; empty: at once. */
export function BeginField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTranslations("prices");
  const { billingTimeZone: zone } = useInstallation();
  const momentOf = useMomentOf(zone);
  const begins = fromInput(value);
  const moment = begins && momentOf(begins);
  return (
    <>
      <TextInput
        type="datetime-local"
        label={t("gridBegins")}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {value === "" ? (
        <Button variant="default" onClick={() => onChange(nextMonthInput(new Date(), zone))}>
          {t("gridNextMonth")}
        </Button>
      ) : (
        <Button variant="default" onClick={() => onChange("")}>
          {t("gridAtOnce")}
        </Button>
      )}
      {moment && (
        <Dimmed size="xs" w="100%">
          {t("gridBeginsInZone", { moment, zone })}
        </Dimmed>
      )}
    </>
  );
}
