import { Table } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Money } from "../_components/money";
import type { Model } from "./model";
import { durations, resolutions } from "./video-choices";

/** A video model's prices: seconds down, resolutions across. What has no price is not sold. */
export function VideoPrices({ id, videoPrices }: Pick<Model, "id" | "videoPrices">) {
  const t = useTranslations("models");
  const find = (seconds: number, resolution: string) =>
    videoPrices.find((price) => price.durationSeconds === seconds && price.resolution === resolution);
  return (
    <Table withTableBorder withColumnBorders verticalSpacing={6} aria-label={t("priceGrid", { id })}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t("duration")}</Table.Th>
          {resolutions.map((resolution) => (
            <Table.Th key={resolution} scope="col" ta="end">
              {resolution}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {durations.map((seconds) => (
          <Table.Tr key={seconds}>
            <Table.Th scope="row">{t("seconds", { seconds })}</Table.Th>
            {resolutions.map((resolution) => {
              const price = find(seconds, resolution);
              return (
                <Table.Td key={resolution} ta="end" c={price ? undefined : "dimmed"}>
                  {price ? <Money value={price.price} /> : t("notSold")}
                </Table.Td>
              );
            })}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
