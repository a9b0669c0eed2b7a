"use client";

import { Button, Stack } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState, useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { KeptResponses } from "../_components/cards/kept-responses";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted, useMay } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { NoMatch } from "../_components/tables/no-match";
import { pagesOf } from "../_components/tables/pages-of";
import { ChosenKeys } from "./chosen-keys";
import { KeyFilters } from "./key-filters";
import { keyList, keyParsers } from "./key-list";
import { KeyTable } from "./key-table";

/** The owner's switch for kept responses; it applies to all keys of the account. */
function OwnResponses() {
  const trpc = useTRPC();
  const mayChange = useMay("responses.write");
  const { data } = useQuery(trpc.account.get.queryOptions());
  const { mutate, isPending } = useMutation(trpc.account.setStoresResponses.mutationOptions());
  return (
    data && (
      <KeptResponses
        isOn={data.storesResponses}
        isPending={isPending}
        mayChange={mayChange}
        onSwitch={(isOn) => mutate({ storesResponses: isOn })}
      />
    )
  );
}

const CreateDialog = onDemand(() => import("./create-dialog").then((module) => module.CreateDialog));

const TYPING_MS = 250;

export function KeysScreen() {
  const t = useTranslations("keys");
  const shell = useTranslations("shell");
  const [isCreating, setCreating] = useQueryState(
    "create",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const mayCreate = useMay("keys.write");
  const createButton = useRef<HTMLButtonElement>(null);
  const open = () => void setCreating(true);
  return (
    <>
      <PageHeader
        title={shell("keys")}
        text={t("lead")}
        actions={
          <Permitted to="keys.write">
            <Button ref={createButton} leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
              {t("create")}
            </Button>
          </Permitted>
        }
      />
      <Stack gap="xl">
        <KeyList onCreate={open} />
        <OwnResponses />
      </Stack>
      {isCreating && mayCreate && (
        <CreateDialog
          onClose={() => {
            void setCreating(null, { history: "replace" });
            createButton.current?.focus();
          }}
        />
      )}
    </>
  );
}

function KeyList({ onCreate }: { onCreate: () => void }) {
  const t = useTranslations("keys");
  const [filter, setFilter] = useQueryStates(keyParsers);
  const [search] = useDebouncedValue(filter.search, TYPING_MS);
  const query = useInfiniteQuery(keyList(useTRPC(), { ...filter, search }));
  const isFiltered = filter.search !== "" || filter.status !== null;
  const { rows, pages } = pagesOf(query);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (keyId: string, isChosen: boolean) =>
    setChosen(new Set([...[...chosen].filter((id) => id !== keyId), ...(isChosen ? [keyId] : [])]));
  // Only keys on the page: keys that a filter hides are not changed.
  const chosenRows = rows.filter(({ id }) => chosen.has(id));
  if (query.data && rows.length === 0 && !isFiltered) {
    return (
      <EmptyState
        icon={<IconKey size={32} />}
        title={t("emptyTitle")}
        text={t("emptyText")}
        action={
          <Permitted to="keys.write">
            <Button onClick={onCreate}>{t("create")}</Button>
          </Permitted>
        }
        doc="quick-start"
      />
    );
  }
  return (
    <Stack>
      <KeyFilters filter={filter} onChange={setFilter} />
      {!query.data && <QueryState query={query} lines={8} />}
      {rows.length > 0 && (
        <KeyTable rows={rows} pages={pages} span={filter.span} chosen={chosen} onChoose={choose}>
          {chosenRows.length > 0 && (
            <ChosenKeys rows={rows} chosen={chosenRows} onChoose={(keyIds) => setChosen(new Set(keyIds))} />
          )}
        </KeyTable>
      )}
      {query.data && rows.length === 0 && (
        <NoMatch
          title={t("noMatchTitle")}
          text={t("noMatchText")}
          onClear={() => void setFilter({ search: "", status: null })}
        />
      )}
    </Stack>
  );
}
