import { Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCheck, IconLogout } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { StatusBadge } from "../_components/tables/status-badge";
import { Timestamp } from "../_components/text/timestamp";
import type { OwnSession } from "./security";

const SignOutDialog = onDemand(() => import("./sign-out-dialog").then((module) => module.SignOutDialog));

/** `Safari, iOS`: the known parts of a device's name. */
function useDeviceName() {
  const t = useTranslations("security");
  return ({ browser, system }: OwnSession) =>
    [browser, system].filter(Boolean).join(", ") || t("deviceUnknown");
}

/** Ends a session. The current session is ended by signing out in the menu. */
function EndSession({ session }: { session: OwnSession }) {
  const t = useTranslations("security");
  const deviceName = useDeviceName();
  const end = useMutation(
    useTRPC().security.endSession.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: t("sessionEnded"), role: "status" });
        // The row disappears, and its button with it.
        document.getElementById("content")?.focus();
      },
    }),
  );
  return session.isCurrent ? null : (
    <Button
      size="xs"
      variant="default"
      loading={end.isPending}
      onClick={() => end.mutate({ sessionId: session.id })}
    >
      {t("endSession")}
      <VisuallyHidden> {deviceName(session)}</VisuallyHidden>
    </Button>
  );
}

function useColumns(): Column<OwnSession>[] {
  const t = useTranslations("security");
  const deviceName = useDeviceName();
  return [
    {
      id: "device",
      header: t("device"),
      isRowHeader: true,
      cell: (session) => (
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {deviceName(session)}
          </Text>
          {session.isCurrent && (
            <StatusBadge tone="good" icon={IconCheck}>
              {t("currentSession")}
            </StatusBadge>
          )}
        </Group>
      ),
    },
    { id: "network", header: t("network"), cell: ({ network }) => network ?? "—" },
    {
      id: "seen",
      header: t("lastSeen"),
      value: ({ lastSeenAt, createdAt }) => lastSeenAt ?? createdAt,
      cell: ({ lastSeenAt, createdAt }) => <Timestamp at={lastSeenAt ?? createdAt} />,
    },
    {
      id: "since",
      header: t("signedInAt"),
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Timestamp at={createdAt} short />,
    },
    { id: "actions", header: null, isFigure: true, cell: (session) => <EndSession session={session} /> },
  ];
}

/** The user's sessions, which can be ended one by one or all at once. */
export function Sessions() {
  const t = useTranslations("security");
  const [isAsking, setAsking] = useState(false);
  const query = useQuery(useTRPC().security.sessions.queryOptions());
  const columns = useColumns();
  return (
    <Card title={t("sessionsTitle")} text={t("sessionsText")}>
      {query.data ? (
        <DataTable label={t("sessionsTitle")} columns={columns} rows={query.data} rowId={({ id }) => id} />
      ) : (
        <QueryState query={query} lines={2} />
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t("signOutEverywhere")}
        </Button>
      </Group>
      {isAsking && <SignOutDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}
