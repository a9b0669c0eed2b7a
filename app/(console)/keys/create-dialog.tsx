import { Modal } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { CreateForm } from "./create-form";
import type { NewKey } from "./key";
import { NewSecret } from "./new-secret";

/** Makes a key and shows its secret, once. Whoever closes it without a copy is asked whether that is meant. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("keys");
  const [created, setCreated] = useState<NewKey | null>(null);
  const [isTaken, setTaken] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const close = () => {
    if (created && !isTaken && !isAsked) {
      setAsked(true);
    } else {
      onClose();
    }
  };
  return (
    <Modal
      opened
      size="lg"
      title={created ? t("createdTitle") : t("createTitle")}
      closeOnClickOutside={false}
      onClose={close}
    >
      {created ? (
        <NewSecret
          created={created}
          isAsked={isAsked}
          onTaken={() => setTaken(true)}
          onBack={() => setAsked(false)}
          onClose={close}
        />
      ) : (
        <CreateForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}
