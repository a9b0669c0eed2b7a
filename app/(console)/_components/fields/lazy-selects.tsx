/** Fields that search as the user types. They load after the page, which can be used without them. */
import { ComboboxChevron, TextInput } from "@mantine/core";
import type { ComponentProps } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../data/on-demand";
import { useMay } from "../shell/viewer";

/** Looks like the field, so that nothing moves when the field has loaded. */
const Coming = (props: { label: string; placeholder: string }) => (
  <TextInput disabled className="coming" rightSection={<ComboboxChevron />} {...props} />
);

function ComingAccount() {
  const t = useTranslations("accounts");
  return <Coming label={t("account")} placeholder={t("anyAccount")} />;
}

function ComingChannel() {
  const t = useTranslations("requests");
  return <Coming label={t("channel")} placeholder={t("anyChannel")} />;
}

function ComingKey() {
  const t = useTranslations("requests");
  return <Coming label={t("key")} placeholder={t("anyKey")} />;
}

function ComingModel() {
  const t = useTranslations("requests");
  return <Coming label={t("model")} placeholder={t("modelPlaceholder")} />;
}

export const AccountSelect = onDemand(
  () => import("./account-select").then((module) => module.AccountSelect),
  ComingAccount,
);

const AnyChannelSelect = onDemand(
  () => import("./channel-select").then((module) => module.ChannelSelect),
  ComingChannel,
);

/** Nothing for viewers who may not see channels. */
export const ChannelSelect = (props: ComponentProps<typeof AnyChannelSelect>) =>
  useMay("channels.read") ? <AnyChannelSelect {...props} /> : null;

export const KeySelect = onDemand(() => import("./key-select").then((module) => module.KeySelect), ComingKey);

export const ModelFilter = onDemand(
  () => import("./model-filter").then((module) => module.ModelFilter),
  ComingModel,
);

export const AnyKeySelect = onDemand(
  () => import("./any-key-select").then((module) => module.AnyKeySelect),
  ComingKey,
);
