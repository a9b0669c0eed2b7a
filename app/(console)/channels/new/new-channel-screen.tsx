"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../_components/back-link";
import { PageHeader } from "../../_components/page-header";
import { QueryState } from "../../_components/query-state";
import { useTRPC } from "../../_components/trpc";
import { ChannelEditor } from "../lazy-editor";

export function NewChannelScreen() {
  const t = useTranslations("channels");
  const router = useRouter();
  const choices = useQuery(useTRPC().channels.choices.queryOptions());
  return (
    <>
      <BackLink href={addresses.channels()}>{t("backToList")}</BackLink>
      <PageHeader title={t("createTitle")} text={t("createLead")} />
      {choices.data ? (
        <ChannelEditor
          channel={null}
          choices={choices.data}
          onSaved={() => router.push(addresses.channels())}
        />
      ) : (
        <QueryState query={choices} lines={8} />
      )}
    </>
  );
}
