import { Box } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import type { OwnSignIn } from "./security";

// Not rendered on the server: values that a browser fills in before the script runs would be lost.
const PasswordForm = onDemand(
  () => import("./password-form").then((module) => module.PasswordForm),
  () => <Box h={200} />,
);

export function ChangePassword({ own }: { own: OwnSignIn }) {
  const t = useTranslations("security");
  return (
    <Card title={t("passwordTitle")} text={t(own.hasTotp ? "passwordTextTotp" : "passwordText")}>
      <PasswordForm own={own} />
    </Card>
  );
}
