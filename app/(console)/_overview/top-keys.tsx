import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useTRPC } from "../_components/data/trpc";
import { topKeys } from "./overview";
import { TopList } from "./top-list";

const FEW = 5;

/**
 * The keys with the highest spend this month. Hidden while fewer than two keys have charges: one key is the whole
 * month.
 */
export function TopKeys() {
  const t = useTranslations("overview");
  const usage = useTranslations("usage");
  const { data } = useQuery(useTRPC().usage.show.queryOptions(topKeys));
  const rows = (data?.rows ?? []).filter(({ calls }) => calls > 0);
  return (
    rows.length > 1 && (
      <TopList
        title={t("topKeys")}
        link={{ href: addresses.usage(topKeys), text: t("allKeys") }}
        rows={rows.slice(0, FEW).map(({ id, name, amount }) => ({
          id,
          name: name || id || usage("nameless.key"),
          href: addresses.key(id),
          amount,
        }))}
      />
    )
  );
}
