import { Button, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useFailure } from "../data/use-failure";
import type { Pages } from "./pages-of";

/**
 * The button that loads further rows, and the reason if the last attempt failed. `label`: replaces the button's text.
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
