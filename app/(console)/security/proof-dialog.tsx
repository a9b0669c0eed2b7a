import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { Refused } from "./form-card";
import { ProofFields } from "./proof-fields";
import type { Proof } from "./security";

type Props = {
  title: string;
  /** What will happen, said plainly. */
  text: string;
  action: string;
  isDanger?: boolean;
  /** Before the second factor is on there is only the password. */
  hasCodes?: boolean;
  change: {
    isPending: boolean;
    error: { message: string } | null;
    mutate: (input: { proof: Proof }) => void;
  };
  onClose: () => void;
};

/** A change that a thief of the session must not be able to make. */
export function ProofDialog({
  title,
  text,
  action,
  isDanger = false,
  hasCodes = true,
  change,
  onClose,
}: Props) {
  const t = useTranslations("common");
  const [proof, setProof] = useState<Proof>({ password: "" });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ proof });
  };
  return (
    <Modal opened onClose={onClose} title={title}>
      <form method="post" onSubmit={submit}>
        <Stack>
          <Text size="sm">{text}</Text>
          <ProofFields proof={proof} hasCodes={hasCodes} onChange={setProof} />
          <Refused error={change.error} />
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
