import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { getTranslator } from "../_i18n/server";
import { Dimmed } from "../(console)/_components/dimmed";
import { LanguageMenu } from "../(console)/_components/language-menu";
import { Mark } from "../(console)/_components/mark";
import { ThemeMenu } from "../(console)/_components/theme-menu";

/** The frame around a form outside the console. */
export async function Door({ title, children }: { title: string; children: ReactNode }) {
  const t = await getTranslator();
  return (
    <main className="narrow">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <div>
            <Text fw={700} fz="xl" className="brand">
              <Mark />
              Tollgate
            </Text>
            <Dimmed>{t("signIn.lead")}</Dimmed>
          </div>
          <Group gap={4} wrap="nowrap">
            <LanguageMenu />
            <ThemeMenu />
          </Group>
        </Group>
        <Paper withBorder p="xl" shadow="sm">
          <Title order={1} size="h2" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
      </Stack>
    </main>
  );
}
