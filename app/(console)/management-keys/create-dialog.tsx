import { useTranslations } from "use-intl";
import { SecretDialog } from "../_forms/secret-dialog";
import { AdminCall } from "./admin-call";
import { CreateForm } from "./create-form";
import type { NewManagementKey } from "./management-key";

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("managementKeys");
  return (
    <SecretDialog<NewManagementKey>
      title={t("createTitle")}
      createdTitle={t("createdTitle")}
      label={t("secretLabel")}
      form={(onCreated) => <CreateForm onCreated={onCreated} onCancel={onClose} />}
      onClose={onClose}
    >
      {({ secret }) => <AdminCall secret={secret} />}
    </SecretDialog>
  );
}
