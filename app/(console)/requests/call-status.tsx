import { Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { StatusBadge } from "../_components/tables/status-badge";
import type { RequestRow } from "./call";
import { useErrorName } from "./use-error-name";

function Badge({ call: { status, error } }: { call: Pick<RequestRow, "status" | "error"> }) {
  const t = useTranslations("requests");
  if (error === null) {
    return (
      <StatusBadge tone="good" icon={IconCheck}>
        {t("statusOk", { status: String(status) })}
      </StatusBadge>
    );
  }
  const isTheirs = status >= 400 && status < 500;
  return (
    <StatusBadge tone={isTheirs ? "warn" : "bad"} icon={isTheirs ? IconX : IconAlertTriangle}>
      {t(status < 400 ? "statusBroken" : "statusFailed", { status: String(status) })}
    </StatusBadge>
  );
}

/** A request's result: its status, and the error in words. */
export function CallStatus({ call }: { call: Pick<RequestRow, "status" | "error"> }) {
  const errorName = useErrorName();
  return (
    <Stack gap={4} className="call-status" data-ok={call.error === null || undefined}>
      <Badge call={call} />
      {call.error !== null && (
        <Text size="xs" maw={200} className="wrap-anywhere">
          {errorName(call.error)}
        </Text>
      )}
    </Stack>
  );
}
