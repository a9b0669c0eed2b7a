import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import { type Failed, useFailure } from "../_components/failure";

type Props = {
  title: string;
  action: string;
  isDanger?: boolean;
  /** The change that the form asks for; a refusal is shown in the form. */
  change: { isPending: boolean; error: Failed | null };
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form and one change. */
export function FormDialog({ title, action, isDanger = false, change, onSubmit, onClose, children }: Props) {
  const t = useTranslations("common");
  const failure = useFailure();
  const shown = change.error && failure(change.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form noValidate onSubmit={submit}>
        <Stack>
          {children}
          {shown && (
            <Alert color="red" role="alert" title={shown.title}>
              {shown.text}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("cancel")}
            </Button>
            <Button type="submit" loading={change.isPending} {...(isDanger && { color: "red" })}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
