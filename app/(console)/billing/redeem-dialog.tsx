import { Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { useAmount } from "../_components/text/use-amount";
import { FormDialog } from "../_forms/form-dialog";
import { TopUpValidity } from "./top-up-validity";

/** Adds a code's amount to the current month. */
export function RedeemDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("codes");
  const money = useAmount();
  const [code, setCode] = useState("");
  const change = useMutation(
    useTRPC().codes.redeem.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ amount, available }) => {
        const values = { amount: money(amount), available: money(available) };
        notifications.show({ color: "green", message: t("redeemedNotice", values), role: "status" });
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={t("redeemTitle")}
      action={t("redeemAction")}
      isReady={code.trim() !== ""}
      change={change}
      onSubmit={() => change.mutate({ code })}
      onClose={onClose}
    >
      <Text size="sm">{t("redeemText")}</Text>
      <TextInput
        data-autofocus
        required
        label={t("redeemLabel")}
        placeholder={t("redeemPlaceholder")}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={100}
        styles={{ input: { fontFamily: "monospace" } }}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
      />
      <TopUpValidity />
    </FormDialog>
  );
}
