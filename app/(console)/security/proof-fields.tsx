import { Input, PasswordInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { Typed } from "./security";

const kinds = ["password", "code"] as const;

type Props = { proof: Typed; hasCodes: boolean; onChange: (proof: Typed) => void };

/** Asks the user to prove their identity again: by the password or, with a second factor, by one of its codes. */
export function ProofFields({ proof, hasCodes, onChange }: Props) {
  const t = useTranslations("security");
  const kind = "password" in proof ? "password" : "code";
  return (
    <Stack gap="xs">
      {hasCodes && (
        <>
          <Input.Label id="proof">{t("proof")}</Input.Label>
          <SegmentedControl
            aria-labelledby="proof"
            value={kind}
            onChange={(value) => onChange(value === "password" ? { password: "" } : { code: "" })}
            data={kinds.map((value) => ({
              value,
              label: t(value === "password" ? "byPassword" : "byCode"),
            }))}
          />
        </>
      )}
      {"password" in proof ? (
        <PasswordInput
          label={t("current")}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          value={proof.password}
          onChange={(event) => onChange({ password: event.currentTarget.value })}
        />
      ) : (
        <TextInput
          label={t("codeOrRecovery")}
          description={t("codeOrRecoveryHint")}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          value={proof.code}
          onChange={(event) => onChange({ code: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}
