import { Button, Group } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { Permitted } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Money } from "../_components/text/money";
import type { ChannelDetail } from "../channels/channel";

const CostDialog = onDemand(() => import("./cost-dialog").then((module) => module.CostDialog));
const ImportDialog = onDemand(() => import("./import-dialog").then((module) => module.ImportDialog));

/** More rows are behind a button. */
const ROWS_AT_ONCE = 20;

type Row = { modelId: string; input: string | null; output: string | null; others: number };

/** The costs of a channel's models, which people enter here. */
export function ChannelCosts({ channel }: { channel: Pick<ChannelDetail, "id" | "name" | "models"> }) {
  const t = useTranslations("margin");
  const prices = useTranslations("prices");
  const query = useQuery(useTRPC().prices.costs.queryOptions({ channelId: channel.id }));
  const [edited, setEdited] = useState<string | null>(null);
  const [isImporting, setImporting] = useState(false);
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const entered = new Map((query.data ?? []).map((row) => [row.modelId, row.prices]));
  const rows = channel.models.map(({ modelId }): Row => {
    const costs = entered.get(modelId) ?? [];
    const find = (name: string) => costs.find((each) => each.name === name)?.price ?? null;
    const named = [find("input"), find("output")];
    return {
      modelId,
      input: find("input"),
      output: find("output"),
      others: costs.length - named.filter(Boolean).length,
    };
  });
  const figure = (id: "input" | "output"): Column<Row> => ({
    id,
    header: prices(`${id}Price`),
    isFigure: true,
    cell: (row) => (row[id] === null ? <span aria-hidden>—</span> : <Money value={row[id]} />),
  });
  const columns: Column<Row>[] = [
    { id: "model", header: t("groups.model"), isRowHeader: true, cell: ({ modelId }) => modelId },
    figure("input"),
    figure("output"),
    {
      id: "others",
      header: t("otherCosts"),
      isFigure: true,
      cell: ({ others }) => (others === 0 ? <span aria-hidden>—</span> : others),
    },
    {
      id: "edit",
      header: null,
      cell: ({ modelId }) => (
        <Permitted to="prices.write">
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPencil size={14} aria-hidden />}
            aria-label={t("costEdit", { model: modelId })}
            onClick={() => setEdited(modelId)}
          >
            {t("edit")}
          </Button>
        </Permitted>
      ),
    },
  ];
  return (
    <Card
      title={t("costPrices")}
      text={t("costText")}
      aside={
        <Permitted to="prices.write">
          <Button variant="default" onClick={() => setImporting(true)}>
            {t("setAll")}
          </Button>
        </Permitted>
      }
    >
      {query.data ? (
        <DataTable
          label={t("costPrices")}
          columns={columns}
          rows={rows.slice(0, shown)}
          rowId={({ modelId }) => modelId}
        />
      ) : (
        <QueryState query={query} lines={3} />
      )}
      {rows.length > shown && (
        <Group justify="center">
          <Button variant="default" onClick={() => setShown(shown + 100)}>
            {prices("gridMore", { count: rows.length - shown })}
          </Button>
        </Group>
      )}
      {edited !== null && (
        <CostDialog modelId={edited} channelId={channel.id} onClose={() => setEdited(null)} />
      )}
      {isImporting && <ImportDialog channel={channel} onClose={() => setImporting(false)} />}
    </Card>
  );
}
