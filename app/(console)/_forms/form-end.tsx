import { Button, Group, Stack } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { Failed } from "../_components/data/failure";
import { FailureAlert } from "./failure-alert";

export type FormEndProps = {
  action: string;
  isDanger?: boolean | undefined;
  /** Whether the form can be sent. */
  isReady?: boolean | undefined;
  /** The form's mutation; the form shows its refusal. */
  change: { isPending: boolean; error: Failed | null };
  onCancel: () => void;
};

/** The end of a dialog's form: the refusal, a cancel button, and a submit button. */
export function FormEnd({ action, isDanger = false, isReady = true, change, onCancel }: FormEndProps) {
  const t = useTranslations("common");
  return (
    <Stack className="form-end">
      <FailureAlert error={change.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("cancel")}
        </Button>
        <Button
          type="submit"
          loading={change.isPending}
          disabled={!isReady}
          {...(isDanger && { color: "red" })}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  );
}
