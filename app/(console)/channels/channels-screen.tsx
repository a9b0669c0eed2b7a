"use client";

import { Button } from "@mantine/core";
import { IconPlus, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { ChannelTable } from "./channel-table";

export function ChannelsScreen() {
  const t = useTranslations("channels");
  const shell = useTranslations("shell");
  const create = (
    <Permitted to="channels.write">
      <Button component={Link} href={addresses.newChannel()} leftSection={<IconPlus size={16} aria-hidden />}>
        {t("create")}
      </Button>
    </Permitted>
  );
  const actions = (
    <>
      <Button
        component={Link}
        href={addresses.routes()}
        variant="default"
        leftSection={<IconRoute size={16} aria-hidden />}
      >
        {t("routesLink")}
      </Button>
      {create}
    </>
  );
  return (
    <>
      <PageHeader title={shell("channels")} text={t("lead")} actions={actions} />
      <ChannelList create={create} />
    </>
  );
}

function ChannelList({ create }: { create: React.ReactNode }) {
  const t = useTranslations("channels");
  const query = useQuery(useTRPC().channels.list.queryOptions());
  if (!query.data) {
    return <QueryState query={query} lines={6} />;
  }
  if (query.data.length === 0) {
    return (
      <EmptyState
        icon={<IconRoute size={32} />}
        title={t("emptyTitle")}
        text={t("emptyText")}
        action={create}
        doc="channels"
      />
    );
  }
  return <ChannelTable channels={query.data} />;
}
