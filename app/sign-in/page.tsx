import { Alert } from "@mantine/core";
import { redirect } from "next/navigation";
import { findViewer } from "@/server/console";
import { getTranslator, titled } from "../_i18n/server";
import { Door } from "./door";
import { notices } from "./notice";
import { returnAddress } from "./return-address";
import { SignInAndReturn } from "./sign-in-and-return";

export const generateMetadata = titled("signIn.title");

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function SignInPage({ searchParams }: Props) {
  const { notice: asked, to } = await searchParams;
  const address = returnAddress(to);
  if (await findViewer()) {
    redirect(address);
  }
  const t = await getTranslator();
  const notice = notices.find((one) => one === asked);
  return (
    <Door title={t("signIn.title")}>
      {notice && (
        <Alert mb="md" role="status">
          {t(`signIn.notices.${notice}`)}
        </Alert>
      )}
      <SignInAndReturn to={address} />
    </Door>
  );
}
