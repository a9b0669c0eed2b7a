import { useTranslations } from "use-intl";
import { SecretDialog } from "../_forms/secret-dialog";
import { CreateForm } from "./create-form";
import { FirstCall } from "./first-call";
import type { NewKey } from "./key";

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("keys");
  return (
    <SecretDialog<NewKey>
      title={t("createTitle")}
      createdTitle={t("createdTitle")}
      label={t("secretLabel")}
      form={(onCreated) => <CreateForm onCreated={onCreated} onCancel={onClose} />}
      onClose={onClose}
    >
      {(created) => <FirstCall created={created} />}
    </SecretDialog>
  );
}
