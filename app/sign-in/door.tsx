import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { LanguageMenu } from "@/app/(console)/_components/shell/language-menu";
import { Mark } from "@/app/(console)/_components/shell/mark";
import { ThemeMenu } from "@/app/(console)/_components/shell/theme-menu";
import { Dimmed } from "@/app/(console)/_components/tables/dimmed";
import { getTranslator } from "../_i18n/server";

/** The frame around a form outside the console. */
export async function Door({ title, children }: { title: string; children: ReactNode }) {
  const t = await getTranslator();
  return (
    <main className="narrow">
      <Stack>
        <div>
          <Group justify="space-between" wrap="nowrap">
            <Text fw={700} fz="xl" className="brand">
              <Mark />
              Tollgate
            </Text>
            <Group gap={4} wrap="nowrap">
              <LanguageMenu />
              <ThemeMenu />
            </Group>
          </Group>
          <Dimmed>{t("signIn.lead")}</Dimmed>
        </div>
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
