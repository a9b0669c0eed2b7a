import { Anchor, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { CodeBlock } from "../_components/snippets/code-block";
import { adminSnippet } from "../_components/snippets/snippet-templates";
import { useInstallation } from "../_components/text/installation";

/** A first call of the admin API, and a link to its reference. null: the environment has the secret. */
export function AdminCall({ secret }: { secret: string | null }) {
  const t = useTranslations("managementKeys");
  const { baseUrl } = useInstallation();
  return (
    <Stack component="section" gap="xs" ta="start" w="100%" maw={640}>
      <Text size="sm" fw={500}>
        {t("snippetTitle")}
      </Text>
      <CodeBlock code={adminSnippet({ baseUrl, secret })} label={t("snippetTitle")} language="sh" />
      <Anchor href={addresses.adminReference()} target="_blank" size="sm">
        {t("reference")}
      </Anchor>
    </Stack>
  );
}
