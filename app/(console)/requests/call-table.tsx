import { Group, Stack, Text, UnstyledButton } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import { useMemo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { CopyButton } from "../_components/copy-button";
import { DataTable } from "../_components/data-table";
import { Timestamp } from "../_components/timestamp";
import { type Call, inputTokens, type Side } from "./call";
import { CallCost } from "./call-cost";
import { CallStatus } from "./call-status";
import { useDuration } from "./use-duration";

/** Input and output; nothing where nothing is paid by the token. */
function Tokens({ call }: { call: Call }) {
  const t = useTranslations("requests");
  const format = useFormatter();
  const input = inputTokens(call);
  if (input === null || !call.tokens) {
    return <span aria-hidden>—</span>;
  }
  return t("tokenPair", { input: format.number(input), output: format.number(call.tokens.output) });
}

function Took({ call }: { call: Call }) {
  const t = useTranslations("requests");
  const duration = useDuration();
  return (
    <Stack gap={0}>
      {duration(call.elapsedMs)}
      {call.firstTokenMs !== null && (
        <Text size="xs" c="dimmed" className="unbroken">
          {t("firstTokenShort", { duration: duration(call.firstTokenMs) })}
        </Text>
      )}
    </Stack>
  );
}

/** A name with what is less important below it. */
function Named({ name, below }: { name: string; below: string | undefined }) {
  return (
    <Stack gap={0} miw={90} maw={180}>
      <Text size="sm" lineClamp={2} className="wrap-anywhere">
        {name}
      </Text>
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {below}
      </Text>
    </Stack>
  );
}

function RequestId({ id }: { id: string }) {
  const t = useTranslations("requests");
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      <Text size="xs" ff="monospace" className="unbroken">
        …{id.slice(-6)}
      </Text>
      <CopyButton value={id} label={t("copyId", { id })} />
    </Group>
  );
}

function useColumns(side: Side, open: (requestId: string) => void): ColumnDef<Call, unknown>[] {
  const t = useTranslations("requests");
  return useMemo(
    () => [
      {
        id: "model",
        header: t("model"),
        meta: { isRowHeader: true },
        cell: ({ row: { original: call } }) => (
          <UnstyledButton
            onClick={() => open(call.requestId)}
            className="row-link"
            miw={130}
            maw={220}
            ta="inherit"
          >
            <Text size="sm" fw={600} lineClamp={2} className="wrap-anywhere">
              {call.modelId ?? t("noModel")}
            </Text>
            <Text size="xs" c="dimmed">
              {call.endpoint}
            </Text>
          </UnstyledButton>
        ),
      },
      { id: "time", header: t("time"), cell: ({ row }) => <Timestamp at={row.original.startedAt} /> },
      side === "owner"
        ? {
            id: "key",
            header: t("key"),
            cell: ({ row: { original } }) => (
              <Named name={original.key.name} below={original.key.lastFour && `…${original.key.lastFour}`} />
            ),
          }
        : {
            id: "account",
            header: t("accountAndChannel"),
            cell: ({ row: { original } }) => (
              <Named name={original.account?.name ?? ""} below={original.channel?.name} />
            ),
          },
      { id: "status", header: t("status"), cell: ({ row }) => <CallStatus call={row.original} /> },
      {
        id: "tokens",
        header: t("tokensInOut"),
        meta: { isFigure: true },
        cell: ({ row }) => <Tokens call={row.original} />,
      },
      {
        id: "cost",
        header: t("cost"),
        meta: { isFigure: true },
        cell: ({ row }) => <CallCost call={row.original} />,
      },
      {
        id: "took",
        header: t("took"),
        meta: { isFigure: true },
        cell: ({ row }) => <Took call={row.original} />,
      },
      {
        id: "id",
        header: t("id"),
        meta: { isFigure: true },
        cell: ({ row }) => <RequestId id={row.original.requestId} />,
      },
    ],
    [t, side, open],
  );
}

type Props = { side: Side; rows: Call[]; onOpen: (requestId: string) => void };

export function CallTable({ side, rows, onOpen }: Props) {
  const label = useTranslations("shell")(side === "owner" ? "requests" : "allRequests");
  const columns = useColumns(side, onOpen);
  return <DataTable label={label} columns={columns} rows={rows} rowId={({ requestId }) => requestId} />;
}
