import { Anchor, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { lazy, Suspense, useMemo } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { DataTable } from "../_components/data-table";
import { PendingSwitch } from "../_components/pending-switch";
import { piece } from "../_components/piece";
import { beside } from "../_components/stale-note";
import { useTRPC } from "../_components/trpc";
import { useHydrated } from "../_components/use-hydrated";
import { ChangeFields, ForChangers } from "../_components/viewer";
import type { ChannelRow, ChannelStanding } from "./channel";
import { ChannelMenu } from "./channel-menu";
import { ChannelHealthCell } from "./channel-state";
import { useSetEnabled } from "./use-channel-changes";

/** How often to ask what the server has seen. */
const HEALTH_MS = 5_000;

type Row = ChannelRow & { standing: ChannelStanding | undefined };

// With the rules for what is typed, which no reader needs.
const fetchPlaceCell = piece(() => import("./place-cell").then((module) => module.PlaceCell));
const LazyPlaceCell = lazy(async () => ({ default: await fetchPlaceCell() }));

/** The number, until it can be edited. */
function PlaceCell(props: { channel: ChannelRow; field: "priority" | "weight" }) {
  const number = <span>{props.channel[props.field]}</span>;
  return useHydrated() ? (
    <Suspense fallback={number}>
      <LazyPlaceCell {...props} />
    </Suspense>
  ) : (
    number
  );
}

function NameCell({ channel: { id, name, vendor, dialect } }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  return (
    <Stack gap={0} maw={220}>
      <Anchor component={Link} href={addresses.channel(id)} size="sm" fw={600} truncate="end" title={name}>
        {name}
      </Anchor>
      <Text size="xs" c="dimmed">
        {vendor === null ? dialect : t("vendorAndDialect", { vendor, dialect })}
      </Text>
    </Stack>
  );
}

function EndpointCell({ channel: { baseUrl, credentialHints } }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const hints = credentialHints.map((hint) => (hint ? t("credentialHint", { hint }) : t("hiddenHint")));
  return (
    <Stack gap={0} maw={260}>
      <Text size="sm" className="wrap-anywhere" lineClamp={2} title={baseUrl}>
        {baseUrl}
      </Text>
      <Text size="xs" c="dimmed" className="wrap-anywhere" lineClamp={2}>
        {t("hints", { count: hints.length })} {hints.join(" ")}
      </Text>
    </Stack>
  );
}

function EnabledCell({ channel }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const { setEnabled, isPending } = useSetEnabled(channel);
  return (
    <ChangeFields>
      <PendingSwitch
        aria-label={t("enabledOf", { name: channel.name })}
        isOn={channel.isEnabled}
        isPending={isPending}
        onSwitch={setEnabled}
      />
    </ChangeFields>
  );
}

function useColumns(): ColumnDef<Row, unknown>[] {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  return useMemo(
    () => [
      {
        id: "name",
        header: t("name"),
        meta: { isRowHeader: true },
        cell: ({ row }) => <NameCell channel={row.original} />,
      },
      { id: "endpoint", header: t("endpoint"), cell: ({ row }) => <EndpointCell channel={row.original} /> },
      {
        id: "models",
        header: t("models"),
        meta: { isFigure: true },
        cell: ({ row }) => row.original.modelCount,
      },
      {
        id: "priority",
        header: t("priority"),
        meta: { isFigure: true },
        cell: ({ row }) => (
          <ChangeFields>
            <PlaceCell channel={row.original} field="priority" />
          </ChangeFields>
        ),
      },
      {
        id: "weight",
        header: t("weight"),
        meta: { isFigure: true },
        cell: ({ row }) => (
          <ChangeFields>
            <PlaceCell channel={row.original} field="weight" />
          </ChangeFields>
        ),
      },
      {
        id: "state",
        header: t("state"),
        cell: ({ row: { original: row } }) =>
          row.standing && <ChannelHealthCell channel={row} standing={row.standing} />,
      },
      { id: "enabled", header: t("enabled"), cell: ({ row }) => <EnabledCell channel={row.original} /> },
      {
        id: "actions",
        header: () => <VisuallyHidden>{common("actions")}</VisuallyHidden>,
        cell: ({ row }) => (
          <ForChangers>
            <ChannelMenu channel={row.original} />
          </ForChangers>
        ),
      },
    ],
    [t, common],
  );
}

export function ChannelTable({ channels }: { channels: ChannelRow[] }) {
  const label = useTranslations("shell")("channels");
  const states = useQuery(
    useTRPC().channels.states.queryOptions(undefined, { ...beside, refetchInterval: HEALTH_MS }),
  );
  const rows = useMemo(
    () =>
      channels.map((channel) => ({
        ...channel,
        standing: states.data?.find(({ channelId }) => channelId === channel.id),
      })),
    [channels, states.data],
  );
  return <DataTable label={label} columns={useColumns()} rows={rows} rowId={({ id }) => id} />;
}
