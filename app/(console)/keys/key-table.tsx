import { Anchor, Checkbox } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { SparkSpan } from "@/server/domain/enums";
import { useMay } from "../_components/shell/viewer";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import type { Pages } from "../_components/tables/pages-of";
import { TwoLines } from "../_components/tables/two-lines";
import { Timestamp } from "../_components/text/timestamp";
import type { KeyRow } from "./key";
import { KeyEnds } from "./key-ends";
import { KeyMenu } from "./key-menu";
import { KeySpend } from "./key-spend";
import { KeyStatus } from "./key-status";
import { LastUse } from "./last-use";
import { Spark } from "./spark";

function KeyAccess({ entry }: { entry: KeyRow }) {
  const t = useTranslations("keys");
  return (
    <TwoLines below={entry.modelCount === 0 ? t("anyModel") : t("modelCount", { count: entry.modelCount })}>
      <span>{entry.ruleCount === 0 ? t("anyAddress") : t("rules", { count: entry.ruleCount })}</span>
    </TwoLines>
  );
}

function Expiry({ at }: { at: string | null }) {
  const t = useTranslations("keys");
  return (
    at !== null && (
      <>
        {t("expires")} <Timestamp at={at} short />
      </>
    )
  );
}

/** The selected keys, by identifier, and a callback that selects or deselects one. */
type KeySelection = { chosen: ReadonlySet<string>; onChoose: (keyId: string, isChosen: boolean) => void };

function useColumns({ chosen, onChoose, span }: KeySelection & { span: SparkSpan }): Column<KeyRow>[] {
  const t = useTranslations("keys");
  const maySwitch = useMay("keys.switch");
  const choice: Column<KeyRow> = {
    id: "choose",
    header: t("choose"),
    isKept: true,
    onPhone: "ahead",
    cell: (key) => (
      <Checkbox
        aria-label={t("chooseKey", { name: key.name })}
        checked={chosen.has(key.id)}
        onChange={(event) => onChoose(key.id, event.currentTarget.checked)}
      />
    ),
  };
  return [
    ...(maySwitch ? [choice] : []),
    {
      id: "name",
      header: t("name"),
      isRowHeader: true,
      value: ({ name }) => name,
      cell: (key) => (
        <TwoLines miw={0} maw={260} below={<KeyEnds entry={key} />}>
          <Anchor
            component={Link}
            href={addresses.key(key.id)}
            size="sm"
            fw={600}
            truncate="end"
            title={key.name}
          >
            {key.name}
          </Anchor>
        </TwoLines>
      ),
    },
    { id: "status", header: t("status"), onPhone: "aside", cell: (key) => <KeyStatus entry={key} /> },
    {
      id: "access",
      from: "medium",
      header: t("access"),
      onPhone: "line",
      cell: (key) => <KeyAccess entry={key} />,
    },
    {
      id: "lastUsed",
      header: t("lastUsed"),
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: (key) => <LastUse entry={key} />,
    },
    {
      id: "created",
      from: "medium",
      header: t("created"),
      onPhone: "hidden",
      value: ({ createdAt }) => createdAt,
      cell: (key) => (
        <TwoLines below={<Expiry at={key.expiresAt} />}>
          <Timestamp at={key.createdAt} short />
        </TwoLines>
      ),
    },
    {
      id: "spent",
      header: t("spent"),
      isFigure: true,
      value: ({ spent }) => Number(spent),
      cell: (key) => <KeySpend entry={key} />,
    },
    {
      id: "spark",
      from: "medium",
      header: t(`recent.${span}`),
      onPhone: "hidden",
      cell: (key) => <Spark spark={key.spark} span={span} />,
    },
    { id: "actions", header: null, cell: (key) => <KeyMenu entry={key} /> },
  ];
}

type Props = KeySelection & {
  rows: KeyRow[];
  pages: Pages;
  span: SparkSpan;
  /** Above the table: what to do with the chosen keys. */
  children: ReactNode;
};

export function KeyTable({ rows, pages, children, ...shown }: Props) {
  const label = useTranslations("shell")("keys");
  const columns = useColumns(shown);
  return (
    <ChoosableTable name="keys" {...{ label, columns, rows, pages, note: children }} rowId={({ id }) => id} />
  );
}
