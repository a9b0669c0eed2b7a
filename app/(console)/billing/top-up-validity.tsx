import { Alert, Text } from "@mantine/core";
import { IconCalendarX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { useInstallation } from "../_components/text/installation";

/** Tells customers before they add money how long it is valid. */
export function TopUpValidity() {
  const t = useTranslations("billing.validity");
  const format = useFormatter();
  const { billingTimeZone: timeZone } = useInstallation();
  const query = useQuery(useTRPC().account.get.queryOptions());
  if (!query.data) {
    return <QueryState query={query} lines={1} />;
  }
  const { carriesTopups, monthEnds } = query.data;
  if (carriesTopups) {
    return <Text size="sm">{t("carries")}</Text>;
  }
  // The month ends where the next begins: its last day is a moment earlier.
  const day = format.dateTime(new Date(Date.parse(monthEnds) - 1), { dateStyle: "long", timeZone });
  return (
    <Alert color="orange" icon={<IconCalendarX aria-hidden />}>
      {t("ends", { day, zone: timeZone })}
    </Alert>
  );
}
