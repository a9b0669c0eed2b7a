import { Anchor, Text } from "@mantine/core";
import { QueryProvider } from "@/app/(console)/_components/data/query-provider";
import { sendsMail } from "@/server/console";
import { getTranslator, titled } from "../_i18n/server";
import { addresses } from "../addresses";
import { Door } from "../sign-in/door";
import { AskPasswordForm } from "./ask-password-form";

export const generateMetadata = titled("forgotPassword.title");

/** For users who cannot sign in: asks for a link by e-mail. */
export default async function ForgotPasswordPage() {
  const t = await getTranslator();
  return (
    <Door title={t("forgotPassword.title")}>
      {(await sendsMail()) ? (
        <QueryProvider email="">
          <AskPasswordForm />
        </QueryProvider>
      ) : (
        <Text size="sm">{t("forgotPassword.notSetUp")}</Text>
      )}
      <Text size="sm" ta="center" mt="md">
        <Anchor href={addresses.signIn()} inherit>
          {t("forgotPassword.back")}
        </Anchor>
      </Text>
    </Door>
  );
}
