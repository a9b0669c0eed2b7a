import { Alert, Group, ScrollArea, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { Nanos } from "@/server/base/money";
import { useTRPC } from "../../_components/data/trpc";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Difference } from "../../_components/tables/difference";
import { Dimmed } from "../../_components/tables/dimmed";
import { TwoLines } from "../../_components/tables/two-lines";
import { Money } from "../../_components/text/money";
import { Timestamp } from "../../_components/text/timestamp";
import { FormDialog } from "../../_forms/form-dialog";
import type { GridRow } from "../catalog";
import { usePriceName } from "../use-price-name";
import { cellsOf, type GridChange, marginOf, rowKey } from "./grid-draft";
import { BelowCost } from "./grid-table";
import { LastMonth } from "./last-month";

type PriceLookup = (row: GridRow) => Nanos | null;
type Props = {
  changes: GridChange[];
  charged: PriceLookup;
  begins: string;
  onSaved: () => void;
  onClose: () => void;
};

/** Further rows are only counted: more would not be read. */
const ROWS = 200;

const MAX_HEIGHT = 320;

function useColumns(charged: PriceLookup): Column<GridChange>[] {
  const t = useTranslations("prices");
  const nameOf = usePriceName();
  const shown = (price: string | null) => (price === null ? t("gridNoPrice") : <Money value={price} />);
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ row }) => (
        <TwoLines below={nameOf(row.name)}>
          <span className="wrap-anywhere">{row.modelId}</span>
        </TwoLines>
      ),
    },
    { id: "now", header: t("gridNow"), isFigure: true, cell: ({ row }) => shown(row.price) },
    {
      id: "then",
      header: t("gridPrice"),
      isFigure: true,
      cell: ({ row, price }) => (
        <Group gap="xs" justify="flex-end">
          <strong>{shown(price)}</strong>
          {marginOf(row, charged(row))?.isBelowCost && <BelowCost />}
        </Group>
      ),
    },
    {
      id: "difference",
      header: t("gridDifference"),
      isFigure: true,
      cell: ({ row, price }) => <Difference now={Number(price ?? "0")} before={Number(row.price ?? "0")} />,
    },
  ];
}

/** Shows the changes and their start before they are saved. */
export function ReviewDialog({ changes, charged, begins, onSaved, onClose }: Props) {
  const t = useTranslations("prices");
  const router = useRouter();
  const { prices } = useTRPC();
  const beginsAt = begins === "" ? null : new Date(begins).toISOString();
  const save = useMutation(
    prices.set.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ models }) => {
        const message = t(beginsAt ? "gridScheduledNotice" : "gridSavedNotice", { count: models.length });
        notifications.show({ message, role: "status" });
        onSaved();
        router.push(addresses.prices());
      },
    }),
  );
  const cells = cellsOf(changes);
  const below = changes.filter(({ row }) => marginOf(row, charged(row))?.isBelowCost).length;
  const models = new Set(changes.map(({ row }) => row.modelId)).size;
  return (
    <FormDialog
      title={t("gridReviewTitle")}
      size="xl"
      action={t(beginsAt ? "gridSchedule" : "gridSet", { count: changes.length })}
      change={save}
      onSubmit={() => save.mutate({ cells, ...(beginsAt && { beginsAt }) })}
      onClose={onClose}
    >
      <Text size="sm">
        {t("gridReviewLead", { count: changes.length, models })}{" "}
        {beginsAt ? (
          <>
            {t("gridReviewFrom")} <Timestamp at={beginsAt} exact />
          </>
        ) : (
          t("gridReviewNow")
        )}
      </Text>
      {below > 0 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("belowCost")}>
          {t("gridBelowCost", { count: below })}
        </Alert>
      )}
      {/* The table's header sticks to the top of this area, not below the page's header. */}
      <ScrollArea.Autosize
        mah={MAX_HEIGHT}
        type="auto"
        viewportProps={{ tabIndex: 0 }}
        __vars={{ "--app-shell-header-height": "0px" }}
      >
        <DataTable
          label={t("gridReviewTitle")}
          columns={useColumns(charged)}
          rows={changes.slice(0, ROWS)}
          rowId={({ row }) => rowKey(row)}
        />
      </ScrollArea.Autosize>
      {changes.length > ROWS && <Dimmed>{t("gridMore", { count: changes.length - ROWS })}</Dimmed>}
      <LastMonth cells={cells} beginsAt={beginsAt} />
    </FormDialog>
  );
}
