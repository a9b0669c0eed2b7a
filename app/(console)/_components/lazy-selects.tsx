/** Fields that search while one types. They come after the page around them, which is of use without. */
import { TextInput } from "@mantine/core";
import dynamic from "next/dynamic";
import { useTranslations } from "use-intl";
import { piece } from "./piece";

function ComingAccount() {
  const t = useTranslations("accounts");
  return <TextInput disabled label={t("account")} placeholder={t("anyAccount")} />;
}

function ComingKey() {
  const t = useTranslations("requests");
  return <TextInput disabled label={t("key")} placeholder={t("anyKey")} />;
}

export const AccountSelect = dynamic(
  piece(() => import("./account-select").then((module) => module.AccountSelect)),
  { ssr: false, loading: ComingAccount },
);

export const KeySelect = dynamic(
  piece(() => import("./key-select").then((module) => module.KeySelect)),
  { ssr: false, loading: ComingKey },
);
