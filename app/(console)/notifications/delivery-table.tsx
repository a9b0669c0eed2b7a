import { Button, Text, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconClock, IconX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { QueryState } from "../_components/data/query-state";
import { useMay } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import { StatusBadge } from "../_components/tables/status-badge";
import { TwoLines } from "../_components/tables/two-lines";
import { Timestamp } from "../_components/text/timestamp";
import { useDeliveries, useRedeliver } from "./use-webhooks";
import type { DeliveryRow } from "./webhook";

function Outcome({ delivery }: { delivery: DeliveryRow }) {
  const t = useTranslations("webhooks");
  const { deliveredAt, dueAt, answered, problem, attempts } = delivery;
  const reason = answered === null ? problem : t("answered", { status: answered });
  const why = reason && (
    <span className="cut" title={reason}>
      {reason}
    </span>
  );
  if (deliveredAt !== null) {
    return (
      <TwoLines below={why}>
        <StatusBadge tone="good" icon={IconCheck}>
          {t("delivered")}
        </StatusBadge>
      </TwoLines>
    );
  }
  return (
    <TwoLines below={attempts > 0 && why}>
      {dueAt === null ? (
        <StatusBadge tone="bad" icon={IconX}>
          {t("givenUp")}
        </StatusBadge>
      ) : (
        <StatusBadge tone={attempts > 0 ? "warn" : "busy"} icon={IconClock}>
          {t(attempts > 0 ? "retrying" : "waiting")}
        </StatusBadge>
      )}
    </TwoLines>
  );
}

function useColumns(webhookId: string): Column<DeliveryRow>[] {
  const t = useTranslations("webhooks");
  const mayChange = useMay("notifications.write");
  const { mutate, isPending } = useRedeliver();
  const columns: Column<DeliveryRow>[] = [
    {
      id: "type",
      header: t("eventType"),
      isRowHeader: true,
      cell: ({ type, id }) => (
        <TwoLines
          below={
            <span className="cut" title={id}>
              {id}
            </span>
          }
        >
          {type}
        </TwoLines>
      ),
    },
    { id: "at", header: t("at"), onPhone: "aside", cell: ({ createdAt }) => <Timestamp at={createdAt} /> },
    {
      id: "outcome",
      header: t("outcome"),
      onPhone: "line",
      cell: (delivery) => <Outcome delivery={delivery} />,
    },
    { id: "attempts", header: t("attempts"), isFigure: true, cell: ({ attempts }) => attempts },
    {
      id: "next",
      header: t("next"),
      cell: ({ dueAt }) => (dueAt === null ? <span aria-hidden>—</span> : <Timestamp at={dueAt} />),
    },
  ];
  if (mayChange) {
    columns.push({
      id: "actions",
      header: null,
      onPhone: "line",
      isFigure: true,
      cell: ({ id, type }) => (
        <Button
          size="xs"
          variant="default"
          disabled={isPending}
          onClick={() => mutate({ webhookId, deliveryId: id })}
        >
          {t("redeliver")}
          <VisuallyHidden> {type}</VisuallyHidden>
        </Button>
      ),
    });
  }
  return columns;
}

/** A webhook's last deliveries. */
export function DeliveryTable({ webhookId }: { webhookId: string }) {
  const t = useTranslations("webhooks");
  const query = useDeliveries(webhookId);
  const columns = useColumns(webhookId);
  if (!query.data) {
    return <QueryState query={query} lines={3} />;
  }
  return query.data.length === 0 ? (
    <Text size="sm">{t("noDeliveries")}</Text>
  ) : (
    <>
      <DataTable label={t("deliveries")} columns={columns} rows={query.data} rowId={({ id }) => id} />
      <Dimmed size="xs">{t("deliveriesNote")}</Dimmed>
    </>
  );
}
