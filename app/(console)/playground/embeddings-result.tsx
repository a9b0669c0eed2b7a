import { Group, Stack, Text, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Charge } from "./charge";
import type { Embedded } from "./embed";
import { SimilarityTable } from "./similarity-table";

/** The number of vector components to show. */
const SHOWN_NUMBERS = 4;

type EmbeddingRow = { position: number; text: string; vector: number[] };

export function EmbeddingsResult({ result }: { result: Embedded }) {
  const t = useTranslations("playground");
  const format = useFormatter();
  const rows = result.texts.map((text, index) => ({
    position: index + 1,
    text,
    vector: result.vectors[index] ?? [],
  }));
  const columns: Column<EmbeddingRow>[] = [
    {
      id: "text",
      header: t("textColumn"),
      isRowHeader: true,
      cell: (row) => (
        <Text size="sm" className="wrap-anywhere">
          {t("numbered", { position: row.position, text: row.text })}
        </Text>
      ),
    },
    {
      id: "dimensions",
      header: t("dimensions"),
      isFigure: true,
      cell: (row) => format.number(row.vector.length),
    },
    {
      id: "vector",
      header: t("firstNumbers"),
      cell: (row) => (
        <Text size="xs" ff="monospace">
          {row.vector
            .slice(0, SHOWN_NUMBERS)
            .map((value) => value.toFixed(4))
            .join(", ")}
          {row.vector.length > SHOWN_NUMBERS && ", …"}
        </Text>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <Group gap="md">
        <Text size="sm" data-figure>
          {t("tokensIn", { count: result.inputTokens })}
        </Text>
        {result.requestId && <Charge key={result.requestId} requestId={result.requestId} />}
      </Group>
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          {t("vectors")}
        </Title>
        <DataTable
          label={t("vectors")}
          columns={columns}
          rows={rows}
          rowId={({ position }) => String(position)}
        />
      </Stack>
      {result.texts.length > 1 && <SimilarityTable texts={result.texts} vectors={result.vectors} />}
    </Stack>
  );
}
