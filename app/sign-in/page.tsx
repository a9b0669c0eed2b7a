import { Alert, Anchor, Text } from "@mantine/core";
import { redirect } from "next/navigation";
import { findProviderName, findViewer } from "@/server/console";
import { getTranslator, titled } from "../_i18n/server";
import { addresses } from "../addresses";
import { Door } from "./door";
import { notices } from "./notice";
import { ProviderButton } from "./provider-button";
import { providerError } from "./provider-error";
import { returnAddress } from "./return-address";
import { SignInAndReturn } from "./sign-in-and-return";

export const generateMetadata = titled("signIn.title");

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function SignInPage({ searchParams }: Props) {
  const { notice: noticeName, to, error } = await searchParams;
  const refusal = providerError(error);
  const address = returnAddress(to);
  if (await findViewer()) {
    // A user who links the provider is signed in, and sees the error on the page where they started.
    redirect(refusal === null ? address : addresses.security({ refusal: String(error) }));
  }
  const t = await getTranslator();
  const provider = await findProviderName();
  const notice = notices.find((name) => name === noticeName);
  return (
    <Door title={t("signIn.title")}>
      {notice && (
        <Alert mb="md" role="status">
          {t(`signIn.notices.${notice}`)}
        </Alert>
      )}
      {refusal && (
        <Alert mb="md" color="red" role="alert">
          {t(`signIn.${refusal}`)}
        </Alert>
      )}
      <SignInAndReturn to={address} />
      <Text size="sm" ta="center" mt="md">
        <Anchor href={addresses.forgotPassword()} inherit>
          {t("forgotPassword.link")}
        </Anchor>
      </Text>
      {provider !== null && <ProviderButton name={provider} to={address} />}
    </Door>
  );
}
