import { Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { FormEnd } from "../_forms/form-end";
import { SecretDialog } from "../_forms/secret-dialog";
import { FirstCall } from "./first-call";
import type { KeyRow, NewKey } from "./key";

type Original = Pick<KeyRow, "id" | "name">;

/** The maximum length of a name. */
const MOST_CHARACTERS = 100;

/** Creates another key with the same settings, and shows its secret, once. */
export function DuplicateDialog({ entry, onClose }: { entry: Original; onClose: () => void }) {
  const t = useTranslations("keys");
  return (
    <SecretDialog<NewKey>
      title={t("duplicateTitle")}
      createdTitle={t("createdTitle")}
      label={t("secretLabel")}
      form={(onCreated) => <DuplicateForm entry={entry} onCreated={onCreated} onCancel={onClose} />}
      onClose={onClose}
    >
      {(created) => <FirstCall created={created} />}
    </SecretDialog>
  );
}

type Props = { entry: Original; onCreated: (key: NewKey) => void; onCancel: () => void };

function DuplicateForm({ entry, onCreated, onCancel }: Props) {
  const t = useTranslations("keys");
  const [name, setName] = useState(() => t("duplicateName", { name: entry.name }).slice(0, MOST_CHARACTERS));
  const creation = useMutation(
    useTRPC().keys.duplicate.mutationOptions({ meta: { showsFailure: true }, onSuccess: onCreated }),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    creation.mutate({ keyId: entry.id, name });
  };
  return (
    <form method="post" noValidate onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("duplicateText", { name: entry.name })}</Text>
        <TextInput
          data-autofocus
          label={t("name")}
          required
          autoComplete="off"
          maxLength={MOST_CHARACTERS}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FormEnd
          action={t("duplicateAction")}
          isReady={name.trim() !== ""}
          change={creation}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
