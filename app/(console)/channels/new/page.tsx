import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../_components/back-link";
import { PageHeader } from "../../_components/page-header";
import { Prefetch } from "../../_components/prefetch";
import { requireViewer } from "../../require-viewer";
import { NewChannelScreen } from "./new-channel-screen";

export const generateMetadata = titled("channels.createTitle");

export default async function NewChannelPage() {
  await requireViewer("channels.write");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.channels()}>{t("channels.backToList")}</BackLink>
      <PageHeader title={t("channels.createTitle")} text={t("channels.createLead")} />
      <Prefetch ask={(trpc) => [trpc.channels.choices.queryOptions()]}>
        <NewChannelScreen />
      </Prefetch>
    </>
  );
}
