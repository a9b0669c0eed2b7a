import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { FormDialog } from "../_forms/form-dialog";
import { leaveToSignIn } from "./security";

export function SignOutDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("security");
  const signOut = useMutation(
    useTRPC().security.signOutEverywhere.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => leaveToSignIn("signedOutEverywhere"),
    }),
  );
  return (
    <FormDialog
      title={t("signOutEverywhere")}
      action={t("signOutEverywhere")}
      isDanger
      change={signOut}
      onSubmit={() => signOut.mutate({})}
      onClose={onClose}
    >
      <Text size="sm">{t("signOutConfirmText")}</Text>
    </FormDialog>
  );
}
