import { useTranslations } from "use-intl";
import { useUnitName } from "../_components/use-unit-name";

const tokens = {
  input: "inputPrice",
  output: "outputPrice",
  cache_read: "cacheReadPrice",
  cache_write: "cacheWritePrice",
  cache_write_1h: "cacheWrite1hPrice",
} as const;

const isToken = (name: string): name is keyof typeof tokens => Object.hasOwn(tokens, name);

/** The name of a price for people: of a class of tokens, a unit or a video. */
export function usePriceName(): (name: string) => string {
  const t = useTranslations("prices");
  const unitName = useUnitName();
  return (name) => {
    if (isToken(name)) {
      return t(tokens[name]);
    }
    const [, seconds, resolution] = /^video:(\d+):(\w+)$/.exec(name) ?? [];
    return seconds && resolution ? t("cell", { seconds, resolution }) : unitName(name);
  };
}
