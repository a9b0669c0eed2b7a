import { Alert, Table, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { formatMoney, type Nanos } from "@/server/base/money";
import { Card } from "../_components/cards/card";
import { Dimmed } from "../_components/tables/dimmed";
import { Money } from "../_components/text/money";
import type { ModelDraft } from "./model-draft";
import { isJump, type PreviewRow, previewCalls, previewVideos } from "./preview";

type Props = { draft: ModelDraft; before: ModelDraft | null };

function useRows({ draft, before }: Props): (PreviewRow & { label: string })[] {
  const t = useTranslations("prices");
  if (draft.kind === "video") {
    return previewVideos(draft, before).map(({ cell, ...row }) => {
      const [seconds = "", resolution = ""] = cell.split(":");
      return { ...row, label: t("cell", { seconds, resolution }) };
    });
  }
  return previewCalls(draft, before)
    .filter(({ after }) => after !== null)
    .map(({ name, ...row }) => ({ ...row, label: t(`samples.${name}`) }));
}

function Amount({ nanos, isNew }: { nanos: Nanos | null; isNew: boolean }) {
  const t = useTranslations("prices");
  if (nanos === null) {
    return t("unpriced");
  }
  return (
    <Text span size="sm" fw={isNew ? 700 : undefined}>
      <Money value={formatMoney(nanos)} />
    </Text>
  );
}

/** Shows the costs of example calls at the form's prices, next to those at the prices in force. */
export function PricePreview({ draft, before }: Props) {
  const t = useTranslations("prices");
  const rows = useRows({ draft, before });
  return (
    <Card title={t("previewTitle")}>
      {rows.length > 0 ? (
        <Table aria-label={t("previewTitle")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t("sample")}</Table.Th>
              {before && (
                <Table.Th scope="col" ta="end">
                  {t("before")}
                </Table.Th>
              )}
              <Table.Th scope="col" ta="end">
                {t("after")}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ label, before: was, after }) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                {before && (
                  <Table.Td ta="end">
                    <Amount nanos={was} isNew={false} />
                  </Table.Td>
                )}
                <Table.Td ta="end">
                  <Amount nanos={after} isNew={was !== after} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : (
        <Text size="sm">{t(before && draft.kind === "video" ? "previewNoChange" : "previewEmpty")}</Text>
      )}
      {rows.some(isJump) && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("jump")}
        </Alert>
      )}
      <Dimmed>{t("previewHint")}</Dimmed>
    </Card>
  );
}
