import { getTranslator, titled } from "@/app/_i18n/server";
import { addresses } from "@/app/addresses";
import { Prefetch } from "../../_components/data/prefetch";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { requireViewer } from "../../require-viewer";
import { NewChannelScreen } from "./new-channel-screen";

export const generateMetadata = titled("channels.createTitle");

type Props = { searchParams: Promise<{ byHand?: string }> };

export default async function NewChannelPage({ searchParams }: Props) {
  const isByHand = (await searchParams).byHand === "true";
  await requireViewer("channels.write");
  const t = await getTranslator();
  return (
    <>
      <BackLink href={addresses.channels()}>{t("channels.backToList")}</BackLink>
      <PageHeader title={t("channels.createTitle")} text={isByHand ? undefined : t("channels.createLead")} />
      <Prefetch ask={(trpc) => [trpc.channels.choices.queryOptions()]}>
        <NewChannelScreen />
      </Prefetch>
    </>
  );
}
