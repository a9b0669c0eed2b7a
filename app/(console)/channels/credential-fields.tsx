import { Alert, Button, Group, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconLock } from "@tabler/icons-react";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import { takesPairs } from "@/server/domain/key-pairs";
import { Card } from "../_components/cards/card";
import { Permitted } from "../_components/shell/viewer";
import { AddRow, RemoveRow } from "../_forms/row-buttons";
import { type CredentialDraft, newCredential } from "./channel-draft";
import type { FieldsProps } from "./endpoint-fields";

type CredentialRowProps = {
  credential: CredentialDraft;
  number: number;
  /** Whether a credential is a pair of an access key and a secret key. */
  isPair: boolean;
  error: string | undefined;
  onChange: (credential: CredentialDraft) => void;
  /** Absent for the last credential: a channel has at least one. */
  onRemove: (() => void) | undefined;
};

function CredentialRow({ credential, number, isPair, error, onChange, onRemove }: CredentialRowProps) {
  const t = useTranslations("channels");
  const { keep } = credential;
  return (
    <Group align="flex-start" gap="xs" wrap="nowrap">
      {keep ? (
        <TextInput
          flex={1}
          readOnly
          variant="filled"
          aria-label={t("credentialKept", { number })}
          leftSection={<IconLock size={16} aria-hidden />}
          value={keep.hint ? t("credentialKeptHint", { hint: keep.hint }) : t("credentialKept", { number })}
          rightSectionWidth={100}
          rightSection={
            <Permitted to="channels.write">
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() => onChange({ ...credential, keep: null, secret: "" })}
              >
                {t("credentialReplace")}
              </Button>
            </Permitted>
          }
        />
      ) : (
        // Not a password field: browsers would offer to store it as a password of this site.
        <TextInput
          flex={1}
          aria-label={t("credentialNew", { number })}
          placeholder={t(isPair ? "credentialPairPlaceholder" : "credentialPlaceholder")}
          autoComplete="off"
          spellCheck={false}
          maxLength={4_200}
          value={credential.secret}
          error={error}
          onChange={(event) => onChange({ ...credential, secret: event.currentTarget.value })}
        />
      )}
      {onRemove && (
        <RemoveRow to="channels.write" label={t("credentialRemove", { number })} onClick={onRemove} />
      )}
    </Group>
  );
}

/** `wantsNew`: stored credentials may not be sent to the address in the form, so new ones are needed. */
export function CredentialFields({
  draft,
  onChange,
  problems,
  wantsNew,
}: FieldsProps & { wantsNew: boolean }) {
  const t = useTranslations("channels");
  const addButton = useRef<HTMLButtonElement>(null);
  const { credentials } = draft;
  const isPair = takesPairs(draft.dialect);
  const problemOf = (id: number) => {
    const problem = problems.credentials.get(id);
    return problem && t(`problems.${problem}`);
  };
  const set = (next: CredentialDraft[]) => onChange({ ...draft, credentials: next });
  return (
    <Card title={t("credentials")} text={t(isPair ? "credentialsPairHint" : "credentialsHint")}>
      {wantsNew && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t("credentialsElsewhere")}
        </Alert>
      )}
      {credentials.map((credential, index) => (
        <CredentialRow
          key={credential.id}
          credential={credential}
          number={index + 1}
          isPair={isPair}
          error={problemOf(credential.id)}
          onChange={(changed) => set(credentials.map((other) => (other === credential ? changed : other)))}
          onRemove={
            credentials.length > 1
              ? () => {
                  set(credentials.filter((other) => other !== credential));
                  addButton.current?.focus();
                }
              : undefined
          }
        />
      ))}
      <AddRow
        to="channels.write"
        ref={addButton}
        disabled={credentials.length >= 100}
        onClick={() => set([...credentials, newCredential()])}
      >
        {t("credentialAdd")}
      </AddRow>
    </Card>
  );
}
