import { Badge, Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useMay, useSide } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import type { RecipientRow } from "./alerts";
import { useAlerts, useTestAlert } from "./use-alerts";
import { useEventName } from "./use-event-name";

const AlertDialog = onDemand(() => import("./alert-dialog").then((module) => module.AlertDialog));

function Actions({ recipient, onChoose }: { recipient: RecipientRow; onChoose: () => void }) {
  const t = useTranslations("alerts");
  const { userId, email, language } = recipient;
  const test = useTestAlert(() => notifications.show({ message: t("testSent"), role: "status" }));
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {language !== null && (
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate({ userId })}>
          {t("test")}
          <VisuallyHidden> {email}</VisuallyHidden>
        </Button>
      )}
      <Button size="xs" variant="default" onClick={onChoose}>
        {t("choose")}
        <VisuallyHidden> {email}</VisuallyHidden>
      </Button>
    </Group>
  );
}

function useColumns(onChoose: ((recipient: RecipientRow) => void) | null): Column<RecipientRow>[] {
  const t = useTranslations("alerts");
  const nameOf = useEventName();
  const columns: Column<RecipientRow>[] = [
    {
      id: "email",
      header: t("person"),
      isRowHeader: true,
      cell: ({ email }) => (
        <span className="cut-email" title={email}>
          {email}
        </span>
      ),
    },
    {
      id: "events",
      header: t("told"),
      onPhone: "line",
      cell: ({ events }) =>
        events.length === 0 ? (
          <Dimmed>{t("nothing")}</Dimmed>
        ) : (
          <Group gap={4}>
            {events.map((event) => (
              <Badge key={event} variant="default" tt="none">
                {nameOf(event)}
              </Badge>
            ))}
          </Group>
        ),
    },
  ];
  if (onChoose !== null) {
    columns.push({
      id: "actions",
      header: null,
      onPhone: "line",
      isFigure: true,
      cell: (recipient) => <Actions recipient={recipient} onChoose={() => onChoose(recipient)} />,
    });
  }
  return columns;
}

/** The users who get e-mail notifications, and of which events. */
export function AlertCard() {
  const t = useTranslations("alerts");
  const mayChange = useMay("notifications.write");
  const whose = useSide() === "owner" ? "account" : "installation";
  const query = useAlerts();
  const [chosen, setChosen] = useState<RecipientRow | null>(null);
  const isSetUp = query.data?.isMailSetUp === true;
  const columns = useColumns(mayChange && isSetUp ? setChosen : null);
  return (
    <Card title={t("title")} text={t(`text.${whose}`)}>
      {query.data ? (
        <>
          {!isSetUp && <Text size="sm">{t("notSetUp")}</Text>}
          <DataTable
            label={t("title")}
            columns={columns}
            rows={query.data.recipients}
            rowId={({ userId }) => userId}
          />
        </>
      ) : (
        <QueryState query={query} lines={2} />
      )}
      {chosen && <AlertDialog recipient={chosen} onClose={() => setChosen(null)} />}
    </Card>
  );
}
