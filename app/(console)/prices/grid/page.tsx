import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { Prefetch } from "../../_components/data/prefetch";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { DocLink } from "../../_components/snippets/doc-link";
import { requireViewer } from "../../require-viewer";
import { GridScreen } from "./grid-screen";

export const generateMetadata = titled("prices.gridTitle");

export default async function PriceGridPage() {
  await requireViewer("costs.read");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.prices()}>{t("prices.backToList")}</BackLink>
      <PageHeader
        title={t("prices.gridTitle")}
        text={
          <>
            {t("prices.gridLead")} <DocLink page="operating" />
          </>
        }
      />
      <Prefetch ask={(trpc) => [trpc.prices.grid.queryOptions({})]}>
        <GridScreen />
      </Prefetch>
    </>
  );
}
