import { Anchor, Button, VisuallyHidden } from "@mantine/core";
import { IconBan, IconCheck, IconChecks, IconClockOff } from "@tabler/icons-react";
import Link from "next/link";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { onDemand } from "../_components/data/on-demand";
import { useMay } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { StatusBadge, type StatusLook } from "../_components/tables/status-badge";
import { TwoLines } from "../_components/tables/two-lines";
import { Money } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import { useActorName } from "../_components/text/use-actor-name";
import { useNow } from "../_components/text/use-now";
import { batchState, type CodeBatch } from "./code-batch";

const DisableCodes = onDemand(() => import("./disable-codes").then((module) => module.DisableCodes));

const looks: Record<ReturnType<typeof batchState>, StatusLook> = {
  open: { tone: "good", icon: IconCheck },
  spent: { tone: "quiet", icon: IconChecks },
  expired: { tone: "quiet", icon: IconClockOff },
  disabled: { tone: "quiet", icon: IconBan },
};

function BatchStatus({ batch }: { batch: CodeBatch }) {
  const t = useTranslations("codes");
  const state = batchState(batch, useNow());
  return <StatusBadge {...looks[state]}>{t(`states.${state}`)}</StatusBadge>;
}

function MadeBy({ batch }: { batch: CodeBatch }) {
  const actorName = useActorName();
  return (
    <TwoLines below={<Timestamp at={batch.createdAt} short />}>
      <span className="wrap-anywhere">{actorName(batch.createdBy)}</span>
    </TwoLines>
  );
}

function useColumns(disable: (batch: CodeBatch) => void): Column<CodeBatch>[] {
  const t = useTranslations("codes");
  const now = useNow();
  const mayChange = useMay("money.write");
  const columns: Column<CodeBatch>[] = [
    {
      id: "batch",
      header: t("batch"),
      isRowHeader: true,
      cell: ({ id, name }) => (
        <Anchor component={Link} href={addresses.codeBatch(id)} size="sm" fw={600} className="wrap-anywhere">
          {name}
        </Anchor>
      ),
    },
    {
      id: "amount",
      header: t("amount"),
      isFigure: true,
      value: ({ amount }) => Number(amount),
      cell: ({ amount }) => <Money value={amount} />,
    },
    {
      id: "redeemed",
      header: t("redeemed"),
      isFigure: true,
      cell: ({ redeemed, codes }) => t("redeemedOf", { redeemed, codes }),
    },
    { id: "status", header: t("status"), onPhone: "aside", cell: (batch) => <BatchStatus batch={batch} /> },
    {
      id: "expires",
      header: t("expires"),
      cell: ({ expiresAt }) => (expiresAt === null ? t("never") : <Timestamp at={expiresAt} short />),
    },
    { id: "created", header: t("created"), cell: (batch) => <MadeBy batch={batch} /> },
  ];
  if (mayChange) {
    columns.push({
      id: "actions",
      header: null,
      isFigure: true,
      cell: (batch) =>
        batchState(batch, now) === "open" && (
          <Button size="xs" variant="default" onClick={() => disable(batch)}>
            {t("disable")}
            <VisuallyHidden> {batch.name}</VisuallyHidden>
          </Button>
        ),
    });
  }
  return columns;
}

export function BatchTable({ rows }: { rows: CodeBatch[] }) {
  const label = useTranslations("shell")("codes");
  const [disabled, setDisabled] = useState<CodeBatch | null>(null);
  const columns = useColumns(setDisabled);
  return (
    <>
      <DataTable label={label} columns={columns} rows={rows} rowId={({ id }) => id} />
      {disabled && <DisableCodes batch={disabled} onClose={() => setDisabled(null)} />}
    </>
  );
}
