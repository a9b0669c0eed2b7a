import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Timestamp } from "../_components/text/timestamp";
import type { MissedPath } from "./overview";
import { Section } from "./section";

const SHOWN = 8;

function useColumns(): Column<MissedPath>[] {
  const t = useTranslations("overview");
  const format = useFormatter();
  return [
    {
      id: "path",
      header: t("missedPath"),
      isRowHeader: true,
      cell: ({ method, path }) => (
        <Text size="sm" ff="monospace" className="wrap-anywhere">
          {method} {path}
        </Text>
      ),
    },
    { id: "program", header: t("missedProgram"), cell: ({ program }) => program || "—" },
    { id: "times", header: t("missedTimes"), isFigure: true, cell: ({ times }) => format.number(times) },
    { id: "last", header: t("missedLast"), cell: ({ lastAt }) => <Timestamp at={lastAt} /> },
  ];
}

/** Paths that clients requested and no endpoint has; nothing if there are none. */
export function MissedPaths() {
  const t = useTranslations("overview");
  const columns = useColumns();
  const { data: paths = [] } = useQuery(useTRPC().overview.missedPaths.queryOptions({}));
  return paths.length === 0 ? null : (
    <Section title={t("missedTitle")}>
      <Text size="sm" c="dimmed">
        {t("missedText")}
      </Text>
      <DataTable
        label={t("missedTitle")}
        columns={columns}
        rows={paths.slice(0, SHOWN)}
        rowId={({ method, path, program }) => `${method} ${path} ${program}`}
      />
    </Section>
  );
}
