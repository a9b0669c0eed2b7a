import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { Prefetch } from "../../_components/data/prefetch";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { requireViewer } from "../../require-viewer";
import { ImportScreen } from "./import-screen";

export const generateMetadata = titled("prices.importTitle");

export default async function ImportPricesPage() {
  await requireViewer("prices.write");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.prices()}>{t("prices.backToList")}</BackLink>
      <PageHeader title={t("prices.importTitle")} text={t("prices.importLead")} />
      <Prefetch ask={(trpc) => [trpc.prices.lists.queryOptions()]}>
        <ImportScreen />
      </Prefetch>
    </>
  );
}
