"use client";

import { Button, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { IconCopy, IconKeyOff, IconList, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type MouseEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { reasonOf } from "../../_components/data/failure";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { FIGURES_MS } from "../../_components/data/refresh";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { optionalQuery } from "../../_components/shell/stale-note";
import { ChangeFields, Permitted } from "../../_components/shell/viewer";
import { EmptyState } from "../../_components/tables/empty-state";
import type { KeyDetail } from "../key";
import { type KeyDialog, KeyDialogs } from "../key-dialogs";
import { KeyDays } from "./key-days";
import { KeyFacts } from "./key-facts";

// Forms are not rendered on the server: input typed before the script runs would be lost.
const KeyAddresses = onDemand(
  () => import("./key-addresses").then((module) => module.KeyAddresses),
  () => <Skeleton height={240} />,
);
const KeySettings = onDemand(
  () => import("./key-settings").then((module) => module.KeySettings),
  () => <Skeleton height={420} />,
);

const icons = {
  rotate: <IconRefresh size={16} aria-hidden />,
  duplicate: <IconCopy size={16} aria-hidden />,
};

export function KeyScreen({ keyId }: { keyId: string }) {
  const t = useTranslations("keys");
  const trpc = useTRPC();
  const query = useQuery(trpc.keys.get.queryOptions({ keyId }, { refetchInterval: FIGURES_MS }));
  const isMissing = query.error !== null && reasonOf(query.error) === "keyUnknown";
  return (
    <>
      <BackLink href={addresses.keys()}>{t("backToList")}</BackLink>
      {query.data ? (
        <Found entry={query.data} />
      ) : (
        <PageHeader title={isMissing ? t("missingTitle") : t("facts")} />
      )}
      {!query.data && !isMissing && <QueryState query={query} lines={10} />}
      {!query.data && isMissing && (
        <EmptyState
          icon={<IconKeyOff size={32} />}
          title={t("missingTitle")}
          text={t("missingText")}
          action={
            <Button component={Link} href={addresses.keys()} variant="default">
              {t("backToList")}
            </Button>
          }
        />
      )}
    </>
  );
}

function Found({ entry }: { entry: KeyDetail }) {
  const t = useTranslations("keys");
  const router = useRouter();
  const { data: choices } = useQuery(useTRPC().keys.choices.queryOptions(undefined, optionalQuery));
  const [dialog, setDialog] = useState<KeyDialog | null>(null);
  const opener = useRef<HTMLElement>(null);
  const open = (which: KeyDialog) => (event: MouseEvent<HTMLButtonElement>) => {
    opener.current = event.currentTarget;
    setDialog(which);
  };
  return (
    <>
      <PageHeader
        title={entry.name}
        actions={
          <>
            <Button
              component={Link}
              href={addresses.requests({ key: entry.id })}
              variant="default"
              leftSection={<IconList size={16} aria-hidden />}
            >
              {t("requests")}
            </Button>
            <Permitted to="keys.write">
              {(["rotate", "duplicate"] as const).map((which) => (
                <Button key={which} variant="default" leftSection={icons[which]} onClick={open(which)}>
                  {t(which)}
                </Button>
              ))}
              <Button
                variant="light"
                color="red"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={open("delete")}
              >
                {t("delete")}
              </Button>
            </Permitted>
          </>
        }
      />
      <Stack gap="lg">
        <KeyDays keyId={entry.id}>
          <ChangeFields to="keys.write">
            <KeyFacts entry={entry} />
          </ChangeFields>
        </KeyDays>
        <ChangeFields to="keys.write">
          <SimpleGrid cols={{ base: 1, xl: 2 }} spacing="lg" className="uneven">
            <KeySettings entry={entry} models={choices?.models.map(({ id }) => id) ?? []} />
            <KeyAddresses entry={entry} here={choices?.address} />
          </SimpleGrid>
        </ChangeFields>
      </Stack>
      <KeyDialogs
        entry={entry}
        dialog={dialog}
        onClose={() => {
          setDialog(null);
          opener.current?.focus();
        }}
        onDeleted={() => router.replace(addresses.keys())}
      />
    </>
  );
}
