import { Table, Text, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { useInstallation } from "../_components/text/installation";
import type { FieldsProps } from "./draft-field";
import { cellOf, gridOf } from "./model-draft";

type CellProps = FieldsProps & { seconds: number; resolution: string };

function PriceCell({ draft, onChange, problems, seconds, resolution }: CellProps) {
  const t = useTranslations("prices");
  const cell = cellOf(seconds, resolution);
  const problem = problems.videoPrices.get(cell);
  return (
    <TextInput
      size="sm"
      aria-label={t("cell", { seconds: String(seconds), resolution })}
      placeholder="—"
      inputMode="decimal"
      autoComplete="off"
      maxLength={30}
      value={draft.videoPrices[cell] ?? ""}
      error={problem && t(`problems.${problem}`)}
      onChange={(event) => {
        const { [cell]: _, ...others } = draft.videoPrices;
        const typed = event.currentTarget.value;
        onChange({ ...draft, videoPrices: typed === "" ? others : { ...others, [cell]: typed } });
      }}
    />
  );
}

/** Prices by duration and resolution. A combination with an empty cell is not sold. */
export function VideoGrid(props: FieldsProps & { before: FieldsProps["draft"] }) {
  const t = useTranslations("prices");
  const { currency } = useInstallation();
  // An emptied row with an unusual duration or resolution stays until saved.
  const { durations, resolutions } = gridOf(props.before);
  const isForeign = durations.length > 3 || resolutions.length > 3;
  return (
    <Card title={t("videoPrices")} text={t("videoPricesHint", { currency })}>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table layout="fixed" withRowBorders={false} horizontalSpacing={6} aria-label={t("videoPrices")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" w={72} className="unbroken">
                {t("length")}
              </Table.Th>
              {resolutions.map((resolution) => (
                <Table.Th key={resolution} scope="col">
                  {resolution}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {durations.map((seconds) => (
              <Table.Tr key={seconds}>
                <Table.Th scope="row">{t("seconds", { seconds: String(seconds) })}</Table.Th>
                {resolutions.map((resolution) => (
                  <Table.Td key={resolution}>
                    <PriceCell {...props} seconds={seconds} resolution={resolution} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {isForeign && <Text size="sm">{t("foreignCell")}</Text>}
    </Card>
  );
}
