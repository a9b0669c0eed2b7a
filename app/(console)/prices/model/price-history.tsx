import { Badge, Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { Permitted } from "../../_components/shell/viewer";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Dimmed } from "../../_components/tables/dimmed";
import { Timestamp } from "../../_components/text/timestamp";
import { useActorName } from "../../_components/text/use-actor-name";
import { FailureAlert } from "../../_forms/failure-alert";
import type { DatedPrice } from "../catalog";
import { PriceWords } from "../price-words";

const tones = { past: "gray", present: "green", scheduled: "blue" } as const;

function useColumns(withdraw: (price: DatedPrice) => void): Column<DatedPrice>[] {
  const t = useTranslations("prices");
  const nameOf = useActorName();
  return [
    {
      id: "from",
      header: t("historyFrom"),
      isRowHeader: true,
      cell: ({ beginsAt, state }) => (
        <Group gap="xs">
          <Timestamp at={beginsAt} />
          <Badge variant="light" color={tones[state]} tt="none">
            {t(`historyStates.${state}`)}
          </Badge>
        </Group>
      ),
    },
    {
      id: "until",
      header: t("historyUntil"),
      cell: ({ endsAt }) => (endsAt ? <Timestamp at={endsAt} /> : <span aria-hidden>—</span>),
    },
    { id: "prices", header: t("historyPrices"), cell: (price) => <PriceWords {...price} /> },
    {
      id: "by",
      header: t("historyBy"),
      cell: ({ enteredBy }) => (enteredBy === null ? <span aria-hidden>—</span> : nameOf(enteredBy)),
    },
    {
      id: "actions",
      header: null,
      cell: (price) =>
        price.state === "scheduled" && (
          <Permitted to="prices.write">
            <Button size="compact-sm" variant="default" onClick={() => withdraw(price)}>
              {t("withdraw")}
            </Button>
          </Permitted>
        ),
    },
  ];
}

/** A model's past, current and scheduled prices; a scheduled price can be withdrawn. */
export function PriceHistory({ modelId }: { modelId: string }) {
  const t = useTranslations("prices");
  const { prices } = useTRPC();
  const query = useQuery(prices.history.queryOptions({ modelId }));
  const withdraw = useMutation(
    prices.withdraw.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => notifications.show({ message: t("withdrawnNotice"), role: "status" }),
    }),
  );
  const columns = useColumns(({ beginsAt }) => withdraw.mutate({ modelId, beginsAt }));
  return (
    <Card title={t("historyTitle")}>
      <FailureAlert error={withdraw.error} />
      {query.data ? (
        <DataTable
          label={t("historyTitle")}
          columns={columns}
          rows={query.data}
          rowId={({ beginsAt }) => beginsAt}
        />
      ) : (
        <QueryState query={query} lines={3} />
      )}
      <Dimmed>{t("historyHint")}</Dimmed>
    </Card>
  );
}
