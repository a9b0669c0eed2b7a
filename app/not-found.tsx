import { Anchor, Stack, Text, Title } from "@mantine/core";
import { addresses } from "@/app/addresses";
import { getTranslator } from "./_i18n/server";

export default async function NotFound() {
  const t = await getTranslator();
  return (
    <main className="narrow">
      <Stack>
        <Title order={1} size="h2">
          {t("common.notFoundTitle")}
        </Title>
        <Text>{t("common.notFoundText")}</Text>
        <Anchor href={addresses.overview()}>{t("common.toOverview")}</Anchor>
      </Stack>
    </main>
  );
}
