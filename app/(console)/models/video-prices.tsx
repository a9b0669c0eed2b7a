import { useTranslations } from "use-intl";
import { durations, resolutions } from "@/server/domain/enums";
import { FigureList } from "../_components/cards/figure-list";
import { Money } from "../_components/text/money";
import type { Model } from "./model";

/** More prices than these are a table. */
const MOST_FIGURES = 3;

/** A video model's prices. A few are figures; of more, seconds are down and resolutions across. */
export function VideoPrices({ id, videoPrices }: Pick<Model, "id" | "videoPrices">) {
  const t = useTranslations("models");
  if (videoPrices.length <= MOST_FIGURES) {
    const figures = videoPrices.map(({ durationSeconds: seconds, resolution, price }) => ({
      id: `${seconds} ${resolution}`,
      name: `${t("seconds", { seconds })} · ${resolution}`,
      value: <Money value={price} />,
    }));
    return <FigureList rows="threes" figures={figures} />;
  }
  const pricedDurations = durations.filter((seconds) =>
    videoPrices.some(({ durationSeconds }) => durationSeconds === seconds),
  );
  const pricedResolutions = resolutions.filter((resolution) =>
    videoPrices.some((price) => price.resolution === resolution),
  );
  const find = (seconds: number, resolution: string) =>
    videoPrices.find((price) => price.durationSeconds === seconds && price.resolution === resolution);
  return (
    <table className="table table-grid" aria-label={t("priceGrid", { id })}>
      <thead>
        <tr>
          <th scope="col">{t("duration")}</th>
          {pricedResolutions.map((resolution) => (
            <th key={resolution} scope="col" data-figure>
              {resolution}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {pricedDurations.map((seconds) => (
          <tr key={seconds}>
            <th scope="row">{t("seconds", { seconds })}</th>
            {pricedResolutions.map((resolution) => {
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
