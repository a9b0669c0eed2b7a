import { Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import type { Failed } from "../_components/failure";
import { FailureAlert } from "./failure-alert";

type Props = Pick<ModalProps, "closeOnClickOutside"> & {
  title: string;
  action: string;
  isDanger?: boolean;
  /** Whether it can be sent as it stands. */
  isReady?: boolean;
  /** false: the browser checks the fields, for the form does not. */
  noValidate?: boolean;
  /** The change that the form asks for; a refusal is shown in the form. */
  change: { isPending: boolean; error: Failed | null };
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form and one change. */
export function FormDialog(props: Props) {
  const { title, action, isDanger = false, isReady = true, noValidate = true, change, onSubmit } = props;
  const t = useTranslations("common");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={title}
      closeOnClickOutside={props.closeOnClickOutside ?? true}
    >
      {/* `post`: sent before the script runs, a form must not put what was typed into the address. */}
      <form method="post" noValidate={noValidate} onSubmit={submit}>
        <Stack>
          {props.children}
          <FailureAlert error={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t("cancel")}
            </Button>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!isReady}
              {...(isDanger && { color: "red" })}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
