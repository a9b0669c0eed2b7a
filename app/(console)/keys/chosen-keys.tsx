import { Button, Group, Paper, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { Status } from "@/server/domain/enums";
import { useTRPC } from "../_components/data/trpc";
import type { KeyRow } from "./key";

/** The most keys that one change takes. */
const MOST_KEYS = 100;

type Props = { rows: KeyRow[]; chosen: KeyRow[]; onChoose: (keyIds: string[]) => void };

/** Changes of several keys at once: all of them are changed, or none. */
export function ChosenKeys({ rows, chosen, onChoose }: Props) {
  const t = useTranslations("keys");
  const leave = () => {
    onChoose([]);
    // This bar disappears, and its buttons with it.
    document.getElementById("content")?.focus();
  };
  const { mutate, isPending } = useMutation(
    useTRPC().keys.setStatuses.mutationOptions({
      onSuccess: (keys, { status }) => {
        const message = status === "active" ? "enabledSeveral" : "disabledSeveral";
        notifications.show({ message: t(message, { count: keys.length }), role: "status" });
        leave();
      },
    }),
  );
  const isTooMany = chosen.length > MOST_KEYS;
  const change = (label: string, status: Status) => (
    <Button
      size="xs"
      variant="default"
      loading={isPending}
      disabled={isTooMany}
      onClick={() => mutate({ keyIds: chosen.map(({ id }) => id), status })}
    >
      {label}
    </Button>
  );
  return (
    <Paper withBorder p="xs" component="section" aria-label={t("chosenTitle")}>
      <Group gap="sm">
        <Text size="sm" role="status">
          {isTooMany ? t("chosenTooMany", { most: MOST_KEYS }) : t("chosen", { count: chosen.length })}
        </Text>
        {change(t("disableChosen"), "disabled")}
        {change(t("enableChosen"), "active")}
        {chosen.length < rows.length && (
          <Button size="xs" variant="subtle" onClick={() => onChoose(rows.map(({ id }) => id))}>
            {t("chooseAll", { count: rows.length })}
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={leave}>
          {t("chooseNone")}
        </Button>
      </Group>
    </Paper>
  );
}
