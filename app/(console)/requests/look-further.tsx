import { Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { LoadMore } from "../_components/tables/load-more";
import { moreOf, type PagedQuery } from "../_components/tables/pages-of";
import { useMomentOf } from "../_components/text/use-moment-of";

type SearchQuery = PagedQuery<{ searchedTo: string | null; rows: unknown[] }>;

/** The end of the requests with the highest figures: there are no further pages. */
function Ranked({ count, comparedTo }: { count: number; comparedTo: string | null }) {
  const t = useTranslations("requests");
  const momentOf = useMomentOf();
  if (count === 0) {
    return null;
  }
  return (
    <Dimmed ta="center">
      {comparedTo === null
        ? t("ranked.all", { count })
        : t("ranked.newest", {
            count,
            moment: momentOf(comparedTo),
          })}
    </Dimmed>
  );
}

/**
 * The end of the loaded rows. The server stops a page after a number of scanned rows, even without a match: then this
 * says how far back it has looked and offers to continue.
 */
export function LookFurther({ query, isRanked }: { query: SearchQuery; isRanked: boolean }) {
  const t = useTranslations("requests");
  const common = useTranslations("common");
  const momentOf = useMomentOf();
  const pages = query.data?.pages ?? [];
  const count = pages.reduce((sum, { rows }) => sum + rows.length, 0);
  const searchedTo = pages.at(-1)?.searchedTo ?? null;
  if (isRanked) {
    return <Ranked {...{ count, comparedTo: searchedTo }} />;
  }
  if (!query.hasNextPage) {
    return pages.length > 1 ? <Dimmed ta="center">{common("allLoaded")}</Dimmed> : null;
  }
  return (
    <Stack gap="xs" align="center" aria-live="polite">
      {searchedTo !== null && (
        <Text size="sm">
          {t("searchedTo", {
            count,
            moment: momentOf(searchedTo),
          })}
        </Text>
      )}
      <LoadMore pages={moreOf(query)} label={searchedTo === null ? common("loadMore") : t("lookFurther")} />
    </Stack>
  );
}
