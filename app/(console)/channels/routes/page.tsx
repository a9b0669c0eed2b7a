import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { Prefetch } from "../../_components/data/prefetch";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { requireViewer } from "../../require-viewer";
import { RoutesScreen } from "./routes-screen";

export const generateMetadata = titled("channels.routesTitle");

type Props = { searchParams: Promise<{ model?: unknown }> };

export default async function RoutesPage({ searchParams }: Props) {
  await requireViewer("channels.read");
  const { model } = await searchParams;
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.channels()}>{t("channels.backToList")}</BackLink>
      <PageHeader title={t("channels.routesTitle")} text={t("channels.routesLead")} />
      <Prefetch
        ask={(trpc) => [
          trpc.channels.choices.queryOptions(),
          ...(typeof model === "string" ? [trpc.channels.routes.queryOptions({ modelId: model })] : []),
        ]}
      >
        <RoutesScreen />
      </Prefetch>
    </>
  );
}
