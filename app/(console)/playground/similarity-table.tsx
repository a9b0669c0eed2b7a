import { Stack, Table, Text, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { ScrollRegion } from "../_components/tables/scroll-region";
import { cosine } from "./similarity";

type Props = { texts: string[]; vectors: number[][] };

/** A tint on which text is readable in both schemes. */
const tintOf = (likeness: number) =>
  `color-mix(in srgb, var(--mantine-color-brand-5) ${Math.round(Math.max(0, likeness) * 35)}%, transparent)`;

/** Compares every text with every other. */
export function SimilarityTable({ texts, vectors }: Props) {
  const t = useTranslations("playground");
  const format = useFormatter();
  const numbered = texts.map((text, index) => ({ text, position: index + 1, vector: vectors[index] ?? [] }));
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        {t("similarity")}
      </Title>
      <Dimmed>{t("similarityHint")}</Dimmed>
      <ScrollRegion className="table-scroll" label={t("similarity")}>
        <Table aria-label={t("similarity")} withColumnBorders>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t("textColumn")}</Table.Th>
              {numbered.map(({ position, text }) => (
                <Table.Th key={position} scope="col" ta="end" title={text}>
                  {position}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {numbered.map((row) => (
              <Table.Tr key={row.position}>
                <Table.Th scope="row" miw={140} fw={400}>
                  <Text size="sm" lineClamp={2}>
                    {t("numbered", { position: row.position, text: row.text })}
                  </Text>
                </Table.Th>
                {numbered.map((column) => {
                  const likeness = cosine(row.vector, column.vector);
                  return (
                    <Table.Td key={column.position} ta="end" data-figure bg={tintOf(likeness)}>
                      {format.number(likeness, { minimumFractionDigits: 3, maximumFractionDigits: 3 })}
                    </Table.Td>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Stack>
  );
}
