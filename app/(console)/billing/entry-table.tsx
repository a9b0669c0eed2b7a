import { Anchor, Stack, Text } from "@mantine/core";
import {
  IconAdjustments,
  IconAdjustmentsDollar,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCalendarPlus,
  IconCoin,
  IconReceipt,
  IconReceiptRefund,
} from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { type Column, DataTable } from "../_components/tables/data-table";
import type { pagesOf } from "../_components/tables/pages-of";
import { StatusBadge, type StatusLook } from "../_components/tables/status-badge";
import { Money } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import type { BillingEntry } from "./billing";

const looks: Record<BillingEntry["kind"], StatusLook> = {
  grant: { tone: "good", icon: IconCalendarPlus },
  topup: { tone: "good", icon: IconCoin },
  refund: { tone: "good", icon: IconReceiptRefund },
  adjustment: { tone: "warn", icon: IconAdjustmentsDollar },
  carryover: { tone: "good", icon: IconArrowForwardUp },
  adjust: { tone: "warn", icon: IconAdjustments },
  capture: { tone: "busy", icon: IconReceipt },
  release: { tone: "quiet", icon: IconArrowBackUp },
};

function Kind({ kind }: { kind: BillingEntry["kind"] }) {
  const t = useTranslations("billing");
  return <StatusBadge {...looks[kind]}>{t(`kinds.${kind}`)}</StatusBadge>;
}

/** A link to the call, or, for a video, to its task. */
function Origin({ requestId, label }: { requestId: string; label: string }) {
  const t = useTranslations("billing");
  const isTask = requestId.startsWith("task_");
  return (
    <Anchor
      component={Link}
      href={isTask ? addresses.videos({ task: requestId }) : addresses.requests({ request: requestId })}
      size="sm"
      underline="always"
      className="wrap-anywhere"
      aria-label={t(isTask ? "openTask" : "openRequest", { id: requestId, label })}
    >
      {label}
    </Anchor>
  );
}

/** The note of a quota change without a reason. */
const UNREASONED = "quota set";

/** The call or task of an entry, with its key; or the operator's note. */
function About({ entry }: { entry: BillingEntry }) {
  const t = useTranslations("billing");
  const { kind, requestId, modelId, key, note } = entry;
  if (requestId === null && note === null) {
    return <span aria-hidden>—</span>;
  }
  return (
    <Stack gap={0} maw={360}>
      {requestId !== null && <Origin requestId={requestId} label={modelId ?? requestId} />}
      {key && (
        <Text size="xs" c="dimmed" lineClamp={2} className="wrap-anywhere">
          {key.lastFour ? t("key", { name: key.name, lastFour: key.lastFour }) : key.name}
        </Text>
      )}
      {(requestId === null || kind === "refund") && note !== null && (
        <Text size="sm" className="wrap-anywhere">
          {note === UNREASONED ? t("quotaSet") : note}
        </Text>
      )}
    </Stack>
  );
}

function useColumns(): Column<BillingEntry>[] {
  const t = useTranslations("billing");
  return [
    { id: "kind", header: t("kind"), isRowHeader: true, cell: (entry) => <Kind kind={entry.kind} /> },
    { id: "time", header: t("time"), onPhone: "bare", cell: (entry) => <Timestamp at={entry.createdAt} /> },
    { id: "about", header: t("about"), onPhone: "bare", cell: (entry) => <About entry={entry} /> },
    {
      id: "held",
      header: t("held"),
      isFigure: true,
      cell: (entry) => (entry.held === null ? <span aria-hidden>—</span> : <Money value={entry.held} />),
    },
    {
      id: "change",
      header: t("change"),
      isFigure: true,
      onPhone: "aside",
      cell: (entry) => <Money value={entry.change} />,
    },
  ];
}

export function EntryTable({ rows, pages }: ReturnType<typeof pagesOf<BillingEntry>>) {
  const label = useTranslations("billing")("entries");
  return <DataTable label={label} columns={useColumns()} rows={rows} rowId={({ id }) => id} pages={pages} />;
}
