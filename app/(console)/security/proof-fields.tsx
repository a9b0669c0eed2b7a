import { Input, PasswordInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { Proof } from "./security";

const kinds = ["password", "code"] as const;

/** Shows once more who is there: by the password, or by a code. */
export function ProofFields({ proof, onChange }: { proof: Proof; onChange: (proof: Proof) => void }) {
  const t = useTranslations("security");
  const kind = "password" in proof ? "password" : "code";
  return (
    <Stack gap="xs">
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
