import { useTranslations } from "use-intl";
import { parseVideoName, tokenClasses } from "@/server/pricing";
import { useUnitName } from "../_components/text/use-unit-name";

/** The name of a price for people: of a class of tokens, a unit or a video. */
export function usePriceName(): (name: string) => string {
  const t = useTranslations("prices");
  const unitName = useUnitName();
  return (name) => {
    const tokens = tokenClasses.find((each) => each.name === name);
    if (tokens) {
      return t(`${tokens.field}Price`);
    }
    const video = parseVideoName(name);
    return video
      ? t("cell", { seconds: String(video.durationSeconds), resolution: video.resolution })
      : unitName(name);
  };
}
