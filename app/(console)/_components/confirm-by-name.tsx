"use client";

import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";

type Props = {
  title: string;
  /** What will happen, said plainly. */
  children: ReactNode;
  name: string;
  action: string;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

/** For what cannot be undone: the name has to be typed. */
export function ConfirmByName({ title, children, name, action, isBusy, onConfirm, onClose }: Props) {
  const t = useTranslations("common");
  const [typed, setTyped] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (typed === name) {
      onConfirm();
    }
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <div>{children}</div>
          <TextInput
            data-autofocus
            label={t("typeToConfirm", { name })}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("cancel")}
            </Button>
            <Button type="submit" color="red" disabled={typed !== name} loading={isBusy}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
