import { useTranslations } from "use-intl";
import { hasConditions, parsePriceName, parseVideoName, tokenClasses } from "@/server/pricing";
import { useConditions } from "../_components/text/use-conditions";
import { useUnitName } from "../_components/text/use-unit-name";

/** The name of a price for people: of a class of tokens, a unit or a video. */
export function usePriceName(): (name: string) => string {
  const t = useTranslations("prices");
  const unitName = useUnitName();
  const whenOf = useConditions();
  const itemName = (name: string): string => {
    const tokens = tokenClasses.find((each) => each.name === name);
    if (tokens) {
      return t(`${tokens.field}Price`);
    }
    const video = parseVideoName(name);
    return video
      ? t("cell", { seconds: String(video.durationSeconds), resolution: video.resolution })
      : unitName(name);
  };
  return (name) => {
    const named = hasConditions(name) ? parsePriceName(name) : null;
    return named
      ? t("priceWhen", { name: itemName(named.item), when: whenOf(named.conditions) })
      : itemName(name);
  };
}
