import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../_components/back-link";
import { DocLink } from "../../_components/doc-link";
import { PageHeader } from "../../_components/page-header";
import { Prefetch } from "../../_components/prefetch";
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
