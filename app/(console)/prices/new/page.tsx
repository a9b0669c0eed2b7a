import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { requireViewer } from "../../require-viewer";
import { NewModelScreen } from "./new-model-screen";

export const generateMetadata = titled("prices.createTitle");

export default async function NewModelPage() {
  await requireViewer("prices.write");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.prices()}>{t("prices.backToList")}</BackLink>
      <PageHeader title={t("prices.createTitle")} text={t("prices.createLead")} />
      <NewModelScreen />
    </>
  );
}
