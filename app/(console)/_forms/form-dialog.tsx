import { Modal, Stack } from "@mantine/core";
import type { ReactNode, Ref, SubmitEvent } from "react";
import { FormEnd, type FormEndProps } from "./form-end";

type Props = Omit<FormEndProps, "onCancel"> & {
  title: string;
  /** For content that needs a wide dialog. */
  size?: "xl";
  closeOnClickOutside?: boolean;
  /** false: the browser checks the fields, because the form does not. */
  noValidate?: boolean;
  onSubmit: (event: SubmitEvent) => void;
  ref?: Ref<HTMLFormElement>;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog with one form and one change. */
export function FormDialog(props: Props) {
  const {
    title,
    size,
    closeOnClickOutside = true,
    noValidate = true,
    onSubmit,
    ref,
    onClose,
    children,
    ...end
  } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(event);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      {...(size && { size })}
      closeOnClickOutside={closeOnClickOutside}
    >
      {/* `post`: a form that is sent before the script runs must not put its values into the address. */}
      <form ref={ref} method="post" noValidate={noValidate} onSubmit={submit}>
        <Stack>
          {children}
          <FormEnd {...end} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
