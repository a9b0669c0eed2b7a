"use client";

import { Alert, Button, Stack } from "@mantine/core";
import { IconArrowBack, IconArrowForward, IconRoute, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { statusOf } from "../../_components/data/failure";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { PendingSwitch } from "../../_components/fields/pending-switch";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { ChangeFields, Permitted } from "../../_components/shell/viewer";
import { EmptyState } from "../../_components/tables/empty-state";
import { ChannelCosts } from "../../margin/channel-costs";
import type { ChannelDetail } from "../channel";
import { HealthTable } from "../health-table";
import { ChannelEditor, VendorModels } from "../lazy-editor";
import { ReportCard } from "../report-card";
import { useSetEnabled, useSetMovedOff } from "../use-channel-changes";

const RemoveChannel = onDemand(() => import("../remove-channel").then((module) => module.RemoveChannel));

function ChannelActions({ channel }: { channel: ChannelDetail }) {
  const t = useTranslations("channels");
  const router = useRouter();
  const [isRemoving, setRemoving] = useState(false);
  const { setEnabled, isPending } = useSetEnabled(channel);
  const moving = useSetMovedOff(channel);
  const MoveIcon = channel.isMovedOff ? IconArrowBack : IconArrowForward;
  return (
    <>
      <PendingSwitch
        label={t("enabled")}
        isOn={channel.isEnabled}
        isPending={isPending}
        onSwitch={setEnabled}
      />
      <Button
        variant="default"
        leftSection={<MoveIcon size={16} aria-hidden />}
        loading={moving.isPending}
        onClick={() => moving.setMovedOff(!channel.isMovedOff)}
      >
        {t(channel.isMovedOff ? "moveBack" : "moveOff")}
      </Button>
      <Button
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setRemoving(true)}
      >
        {t("remove")}
      </Button>
      {isRemoving && (
        <RemoveChannel
          channel={{ id: channel.id, name: channel.name, modelCount: channel.models.length }}
          onClose={() => setRemoving(false)}
          onRemoved={() => router.push(addresses.channels())}
        />
      )}
    </>
  );
}

export function ChannelScreen({ channelId }: { channelId: string }) {
  const t = useTranslations("channels");
  const shell = useTranslations("shell");
  const trpc = useTRPC();
  const query = useQuery(trpc.channels.get.queryOptions({ channelId }));
  const choices = useQuery(trpc.channels.choices.queryOptions());
  // A save remounts the form with the saved values.
  const [saves, setSaves] = useState(0);
  if (query.error && statusOf(query.error) === 400) {
    return (
      <>
        <BackLink href={addresses.channels()}>{t("backToList")}</BackLink>
        <PageHeader title={shell("channels")} />
        <EmptyState icon={<IconRoute size={32} />} title={t("missingTitle")} text={t("missingText")} />
      </>
    );
  }
  const channel = query.data;
  return (
    <>
      <BackLink href={addresses.channels()}>{t("backToList")}</BackLink>
      <PageHeader
        title={channel?.name ?? shell("channels")}
        actions={
          channel && (
            <Permitted to="channels.write">
              <ChannelActions channel={channel} />
            </Permitted>
          )
        }
      />
      {channel && choices.data ? (
        <Stack>
          {channel.isMovedOff && (
            <Alert color="orange" icon={<IconArrowForward aria-hidden />} title={t("movedOff")}>
              {t("movedOffText")}
            </Alert>
          )}
          <ReportCard channelId={channel.id} />
          <HealthTable channel={channel} />
          {channel.dialect !== "sandbox" && (
            <Permitted to="channels.write">
              <div id="models">
                <VendorModels channel={channel} onSaved={() => setSaves(saves + 1)} />
              </div>
            </Permitted>
          )}
          <Permitted to="costs.read">
            <ChannelCosts channel={channel} />
          </Permitted>
          <ChangeFields to="channels.write">
            <ChannelEditor
              key={saves}
              channel={channel}
              choices={choices.data}
              onSaved={() => setSaves(saves + 1)}
            />
          </ChangeFields>
        </Stack>
      ) : (
        <QueryState query={query.error ? query : choices} lines={8} />
      )}
    </>
  );
}
