import { Alert, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { isRedundant, isWrong, type RuleEdit } from "./rules";
import type { AllowList } from "./use-allow-list";

type Props = { list: AllowList; edit: (change: RuleEdit) => void };

/** The errors that keep a list from being saved, and its redundant rules. */
export function Findings({ list, edit }: Props) {
  const t = useTranslations("allowList");
  const wrong = list.review.filter(isWrong).length;
  const redundant = list.reviewed.filter((_, index) => list.review[index] && isRedundant(list.review[index]));
  return (
    <>
      {wrong > 0 && (
        <Alert color="red" p="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {t("wrong", { count: wrong })}
        </Alert>
      )}
      {redundant.length > 0 && (
        <Group gap="xs">
          <Text size="sm">{t("redundant", { count: redundant.length })}</Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => edit({ type: "remove", ids: redundant.map(({ id }) => id) })}
          >
            {t("removeRedundant", { count: redundant.length })}
          </Button>
        </Group>
      )}
    </>
  );
}
