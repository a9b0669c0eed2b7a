import { Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { Pages } from "./pages-of";
import { useFailure } from "./use-failure";

/**
 * The way to further rows, and why the last that were asked for did not come. `label`: the button's, for other words.
 */
export function LoadMore({ pages, label }: { pages: Pages; label?: string }) {
  const t = useTranslations("common");
  const failure = useFailure();
  return (
    <Stack gap="xs" align="center">
      <div role="alert">
        {pages.failure && (
          <Text size="sm" c="red">
            {t("moreFailed")} {failure(pages.failure).text}
          </Text>
        )}
      </div>
      <Button variant="default" loading={pages.isLoading} onClick={pages.loadMore}>
        {pages.failure ? t("retry") : (label ?? t("loadMore"))}
      </Button>
    </Stack>
  );
}
