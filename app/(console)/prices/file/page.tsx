import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { DocLink } from "../../_components/snippets/doc-link";
import { requireViewer } from "../../require-viewer";
import { FileScreen } from "./file-screen";

export const generateMetadata = titled("prices.fileTitle");

export default async function PriceFilePage() {
  await requireViewer("prices.write");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.prices()}>{t("prices.backToList")}</BackLink>
      <PageHeader
        title={t("prices.fileTitle")}
        text={
          <>
            {t("prices.fileLead")} <DocLink page="operating" />
          </>
        }
      />
      <FileScreen />
    </>
  );
}
