import { Center, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { CodeBlock } from "../_components/snippets/code-block";
import { FormDialog } from "../_forms/form-dialog";
import { QrCode } from "./qr-code";

type Props = {
  totp: { secret: string; uri: string };
  onEnabled: (recoveryCodes: string[]) => void;
  onClose: () => void;
};

/** Shows the secret for an authenticator app and asks for a code of it as proof. */
export function SetupDialog({ totp, onEnabled, onClose }: Props) {
  const t = useTranslations("security");
  const [code, setCode] = useState("");
  const enable = useMutation(
    useTRPC().security.enableTotp.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ codes }) => onEnabled(codes),
    }),
  );
  return (
    <FormDialog
      title={t("setupTitle")}
      action={t("confirm")}
      closeOnClickOutside={false}
      noValidate={false}
      change={enable}
      onSubmit={() => enable.mutate({ code })}
      onClose={onClose}
    >
      <Text size="sm">{t("setupScan")}</Text>
      <Center>
        <QrCode text={totp.uri} label={t("qr")} />
      </Center>
      <div>
        <Text size="sm" mb={4}>
          {t("setupManual")}
        </Text>
        <CodeBlock code={totp.secret} label={t("secret")} />
      </div>
      <TextInput
        data-autofocus
        label={t("code")}
        description={t("codeHint")}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        required
        withAsterisk={false}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
