import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { onDemand } from "../_components/data/on-demand";
import { useTRPC } from "../_components/data/trpc";
import { PendingSwitch } from "../_components/fields/pending-switch";
import { optionalQuery } from "../_components/shell/stale-note";
import { ChangeFields, Permitted } from "../_components/shell/viewer";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import { TwoLines } from "../_components/tables/two-lines";
import type { ChannelRow, ChannelStanding } from "./channel";
import { ChannelMenu } from "./channel-menu";
import { ChannelHealthCell } from "./channel-state";
import { useSetEnabled } from "./use-channel-changes";

/** How often to fetch the channels' health from the server. */
const HEALTH_MS = 5_000;

type ChannelTableRow = ChannelRow & { standing: ChannelStanding | undefined };

type Place = { channel: ChannelRow; field: "priority" | "weight" };

/** The number, until it can be edited. */
const ComingPlace = ({ channel, field }: Place) => <span>{channel[field]}</span>;

// Loaded on demand: the cell brings validation rules, which readers do not need.
const PlaceCell = onDemand(() => import("./place-cell").then((module) => module.PlaceCell), ComingPlace);

function NameCell({ channel: { id, name, vendor, dialect } }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  return (
    <TwoLines maw={300} below={vendor === null ? dialect : t("vendorAndDialect", { vendor, dialect })}>
      <Anchor component={Link} href={addresses.channel(id)} size="sm" fw={600} truncate="end" title={name}>
        {name}
      </Anchor>
    </TwoLines>
  );
}

function EndpointCell({ channel: { baseUrl, credentialHints } }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const hints = credentialHints.map((hint) => (hint ? t("credentialHint", { hint }) : t("hiddenHint")));
  return (
    <Stack gap={0} maw={300}>
      <Text size="sm" truncate="end" title={baseUrl}>
        {baseUrl}
      </Text>
      <Text size="xs" c="dimmed" truncate="end">
        {t("hints", { count: hints.length })} {hints.join(" ")}
      </Text>
    </Stack>
  );
}

function EnabledCell({ channel }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const { setEnabled, isPending } = useSetEnabled(channel);
  return (
    <ChangeFields to="channels.write">
      <PendingSwitch
        aria-label={t("enabledOf", { name: channel.name })}
        isOn={channel.isEnabled}
        isPending={isPending}
        onSwitch={setEnabled}
      />
    </ChangeFields>
  );
}

function useColumns(): Column<ChannelTableRow>[] {
  const t = useTranslations("channels");
  return [
    {
      id: "name",
      header: t("name"),
      isRowHeader: true,
      value: ({ name }) => name,
      cell: (channel) => <NameCell channel={channel} />,
    },
    {
      id: "endpoint",
      from: "wide",
      header: t("endpoint"),
      onPhone: "hidden",
      cell: (channel) => <EndpointCell channel={channel} />,
    },
    {
      id: "models",
      from: "medium",
      header: t("models"),
      onPhone: "hidden",
      isFigure: true,
      value: ({ modelCount }) => modelCount,
      cell: (channel) => channel.modelCount,
    },
    ...(["priority", "weight"] as const).map((field) => ({
      id: field,
      header: t(field),
      isFigure: true,
      value: (channel: ChannelTableRow) => channel[field],
      cell: (channel: ChannelTableRow) => (
        <ChangeFields to="channels.write">
          <PlaceCell channel={channel} field={field} />
        </ChangeFields>
      ),
    })),
    {
      id: "state",
      header: t("state"),
      onPhone: "line",
      cell: (row) => row.standing && <ChannelHealthCell channel={row} standing={row.standing} />,
    },
    {
      id: "enabled",
      header: t("enabled"),
      onPhone: "aside",
      cell: (channel) => <EnabledCell channel={channel} />,
    },
    {
      id: "actions",
      header: null,
      cell: (channel) => (
        <Permitted to="channels.write">
          <ChannelMenu channel={channel} />
        </Permitted>
      ),
    },
  ];
}

export function ChannelTable({ channels }: { channels: ChannelRow[] }) {
  const label = useTranslations("shell")("channels");
  const t = useTranslations("channels");
  const states = useQuery(
    useTRPC().channels.states.queryOptions(undefined, { ...optionalQuery, refetchInterval: HEALTH_MS }),
  );
  const rows = channels.map((channel) => ({
    ...channel,
    standing: states.data?.find(({ channelId }) => channelId === channel.id),
  }));
  return (
    <ChoosableTable
      name="channels"
      label={label}
      columns={useColumns()}
      rows={rows}
      rowId={({ id }) => id}
      note={<Dimmed>{t("processNote")}</Dimmed>}
    />
  );
}
