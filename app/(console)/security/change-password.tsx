import { Box } from "@mantine/core";
import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { piece } from "../_components/piece";
import type { OwnSignIn } from "./security";

// Not on the server: what a browser fills in before the form listens would be lost.
const PasswordForm = dynamic(
  piece(() => import("./password-form").then((module) => module.PasswordForm)),
  {
    ssr: false,
    loading: () => <Box h={200} />,
  },
);

export function ChangePassword({ own }: { own: OwnSignIn }) {
  const t = useTranslations("security");
  return (
    <Card title={t("passwordTitle")} text={t(own.hasTotp ? "passwordTextTotp" : "passwordText")}>
      <PasswordForm own={own} />
    </Card>
  );
}
