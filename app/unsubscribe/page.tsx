import { QueryProvider } from "@/app/(console)/_components/data/query-provider";
import { getTranslator, titled } from "../_i18n/server";
import { Door } from "../sign-in/door";
import { LeaveAlerts } from "./leave-alerts";

export const generateMetadata = titled("unsubscribe.title");

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** For readers of an e-mail, without a session. Opening it changes nothing, because programs open links of e-mails. */
export default async function UnsubscribePage({ searchParams }: Props) {
  const t = await getTranslator();
  const { token } = await searchParams;
  return (
    <Door title={t("unsubscribe.title")}>
      <QueryProvider email="">
        <LeaveAlerts token={String(token ?? "")} />
      </QueryProvider>
    </Door>
  );
}
