import { redirect } from "next/navigation";
import { QueryProvider } from "@/app/(console)/_components/data/query-provider";
import { addresses } from "@/app/addresses";
import { findViewer } from "@/server/console";
import { getTranslator, titled } from "../_i18n/server";
import { Door } from "../sign-in/door";
import { ForcedChange } from "./forced-change";

export const generateMetadata = titled("setPassword.mustChangeTitle");

/** For users whose password was set by another person: they can open no other page. */
export default async function ChangePasswordPage() {
  const viewer = await findViewer();
  if (!viewer) {
    redirect(addresses.signIn());
  }
  if (!viewer.mustChangePassword) {
    redirect(addresses.overview());
  }
  const { email, hasTotp } = viewer;
  const t = await getTranslator();
  return (
    <Door title={t("setPassword.mustChangeTitle")}>
      <QueryProvider email={email}>
        <ForcedChange own={{ email, hasTotp }} />
      </QueryProvider>
    </Door>
  );
}
