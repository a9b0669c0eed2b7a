import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "./form-dialog";

type Props = {
  title: string;
  /** The consequences, in plain words. */
  children: ReactNode;
  name: string;
  action: string;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

/** Confirms a change that cannot be undone: the user has to type the name. */
export function ConfirmByName({ title, children, name, action, isBusy, onConfirm, onClose }: Props) {
  const t = useTranslations("common");
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      title={title}
      action={action}
      isDanger
      isReady={typed === name}
      change={{ isPending: isBusy, error: null }}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      <div>{children}</div>
      <TextInput
        data-autofocus
        label={t("typeToConfirm", { name })}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
