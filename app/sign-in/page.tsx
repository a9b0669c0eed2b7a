import { Alert, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { findViewer } from "@/server/console";
import { getTranslator } from "../_i18n/server";
import { LanguageMenu } from "../(console)/_components/language-menu";
import { ThemeMenu } from "../(console)/_components/theme-menu";
import { notices } from "./notice";
import { returnAddress } from "./return-address";
import { SignInAndReturn } from "./sign-in-and-return";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator())("signIn.title") };
}

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function SignInPage({ searchParams }: Props) {
  const { notice: asked, to } = await searchParams;
  const address = returnAddress(to);
  if (await findViewer()) {
    redirect(address);
  }
  const t = await getTranslator();
  const notice = notices.find((one) => one === asked);
  return (
    <main className="narrow">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <div>
            <Text fw={700} fz="xl" className="brand">
              Tollgate
            </Text>
            <Text size="sm" c="dimmed">
              {t("signIn.lead")}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap">
            <LanguageMenu />
            <ThemeMenu />
          </Group>
        </Group>
        <Paper withBorder p="xl" shadow="sm">
          <Title order={1} size="h2" mb="md">
            {t("signIn.title")}
          </Title>
          {notice && (
            <Alert mb="md" role="status">
              {t(`signIn.notices.${notice}`)}
            </Alert>
          )}
          <SignInAndReturn to={address} />
        </Paper>
      </Stack>
    </main>
  );
}
