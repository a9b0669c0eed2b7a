import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import { Refused } from "./form-card";
import { leaveToSignIn } from "./security";

export function SignOutDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("security");
  const common = useTranslations("common");
  const signOut = useMutation(
    useTRPC().security.signOutEverywhere.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => leaveToSignIn("signedOutEverywhere"),
    }),
  );
  return (
    <Modal opened onClose={onClose} title={t("signOutEverywhere")}>
      <Stack>
        <Text size="sm">{t("signOutConfirmText")}</Text>
        <Refused error={signOut.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common("cancel")}
          </Button>
          <Button color="red" loading={signOut.isPending} onClick={() => signOut.mutate({})}>
            {t("signOutEverywhere")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
