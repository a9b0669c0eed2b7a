import { useTranslations } from "use-intl";
import { durations, resolutions } from "@/server/domain/enums";
import { Money } from "../_components/text/money";
import type { Model } from "./model";

/** A video model's prices: seconds down, resolutions across. A combination without a price is not sold. */
export function VideoPrices({ id, videoPrices }: Pick<Model, "id" | "videoPrices">) {
  const t = useTranslations("models");
  const find = (seconds: number, resolution: string) =>
    videoPrices.find((price) => price.durationSeconds === seconds && price.resolution === resolution);
  return (
    <table className="table table-grid" aria-label={t("priceGrid", { id })}>
      <thead>
        <tr>
          <th scope="col">{t("duration")}</th>
          {resolutions.map((resolution) => (
            <th key={resolution} scope="col" data-figure>
              {resolution}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {durations.map((seconds) => (
          <tr key={seconds}>
            <th scope="row">{t("seconds", { seconds })}</th>
            {resolutions.map((resolution) => {
              const price = find(seconds, resolution);
              return (
                <td key={resolution} data-figure className={price ? undefined : "dimmed"}>
                  {price ? <Money value={price.price} /> : t("notSold")}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
