import { QueryProvider } from "@/app/(console)/_components/data/query-provider";
import { getTranslator, titled } from "../_i18n/server";
import { Door } from "../sign-in/door";
import { SetPasswordForm } from "./set-password-form";

export const generateMetadata = titled("setPassword.title");

/** For users with a link, without a session. The token is in the fragment, which browsers do not send to servers. */
export default async function SetPasswordPage() {
  const t = await getTranslator();
  return (
    <Door title={t("setPassword.title")}>
      <QueryProvider email="">
        <SetPasswordForm />
      </QueryProvider>
    </Door>
  );
}
