import { Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconReceiptRefund } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { useMay } from "../_components/shell/viewer";
import { Money } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import { useAmount } from "../_components/text/use-amount";
import { useMonthName } from "../_components/text/use-month-name";
import type { CallDetail, RequestsSide } from "./call";

const RefundDialog = onDemand(() => import("./refund-dialog").then((module) => module.RefundDialog));

function Given({ refund }: { refund: CallDetail["refunds"][number] }) {
  const t = useTranslations("requests");
  const monthName = useMonthName();
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Money value={refund.amount} />
        <Timestamp at={refund.createdAt} />
        <Text size="xs" c="dimmed">
          {t("refundPeriod", { period: monthName(refund.period) })}
        </Text>
      </Group>
      <Text size="sm" className="wrap-anywhere">
        {refund.note}
      </Text>
    </Stack>
  );
}

/** The refunds of a request's charge; operators can refund more of it. */
export function Refunds({ side, call }: { side: RequestsSide; call: CallDetail }) {
  const t = useTranslations("requests");
  const amount = useAmount();
  const mayChange = useMay("money.write");
  const [isOpen, setOpen] = useState(false);
  const { refunds, refundable } = call;
  const isLeft = refundable !== null && refundable !== "0";
  const mayRefund = side === "operator" && mayChange && isLeft;
  if (refunds.length === 0 && !mayRefund) {
    return null;
  }
  return (
    <>
      <Title order={3} size="h5">
        {t("refundsTitle")}
      </Title>
      {refunds.length > 0 && (
        <List listStyleType="none" spacing="sm" size="sm">
          {refunds.map((refund) => (
            <List.Item key={refund.id}>
              <Given refund={refund} />
            </List.Item>
          ))}
        </List>
      )}
      {refundable !== null && <Text size="sm">{t("refundLeft", { amount: amount(refundable) })}</Text>}
      {mayRefund && (
        <Button
          variant="default"
          leftSection={<IconReceiptRefund size={16} aria-hidden />}
          style={{ alignSelf: "start" }}
          onClick={() => setOpen(true)}
        >
          {t("refund")}
        </Button>
      )}
      {isOpen && refundable !== null && (
        <RefundDialog call={call} left={refundable} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
