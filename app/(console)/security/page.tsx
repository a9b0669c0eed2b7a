import { getTranslator, titled } from "@/app/_i18n/server";
import { providerError } from "@/app/sign-in/provider-error";
import { Prefetch } from "../_components/data/prefetch";
import { PageHeader } from "../_components/shell/page-header";
import { requireViewer } from "../require-viewer";
import { SecurityScreen } from "./security-screen";

export const generateMetadata = titled("shell.security");

type Props = { searchParams: Promise<{ refusal?: string | string[] | undefined }> };

export default async function SecurityPage({ searchParams }: Props) {
  const { refusal } = await searchParams;
  await requireViewer();
  const t = await getTranslator();
  return (
    <>
      <PageHeader title={t("shell.security")} text={t("security.lead")} />
      <Prefetch ask={({ security }) => [security.get.queryOptions(), security.sessions.queryOptions()]}>
        <SecurityScreen refusal={providerError(refusal)} />
      </Prefetch>
    </>
  );
}
