import { getTranslator, titled } from "@/app/_i18n/server";
import { Prefetch } from "../_components/data/prefetch";
import { PageHeader } from "../_components/shell/page-header";
import { requireViewer } from "../require-viewer";
import { ModelsScreen } from "./models-screen";

export const generateMetadata = titled("shell.models");

export default async function ModelsPage() {
  await requireViewer("account.read");
  const t = await getTranslator();
  return (
    <>
      <PageHeader title={t("models.title")} text={t("models.text")} />
      <Prefetch ask={(trpc) => [trpc.models.list.queryOptions()]}>
        <ModelsScreen />
      </Prefetch>
    </>
  );
}
