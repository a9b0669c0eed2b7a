import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { Timestamp } from "../../_components/text/timestamp";
import { FailureAlert } from "../../_forms/failure-alert";

const schedules = [1, 7, 30] as const;

/** How often the vendor is asked for its models, and the changes that no operator has seen. */
export function ModelSchedule({ channelId }: { channelId: string }) {
  const t = useTranslations("sale");
  const trpc = useTRPC();
  const checks = useQuery(trpc.channels.modelChecks.queryOptions());
  const setting = useMutation(trpc.channels.setModelChecks.mutationOptions({ meta: { showsFailure: true } }));
  if (!checks.data) {
    return null;
  }
  const check = checks.data.find((each) => each.channelId === channelId);
  const days = check?.everyDays ?? 0;
  const offered = [...new Set([0, ...schedules, days])].toSorted((a, b) => a - b);
  return (
    <Stack gap="xs">
      <Group gap="sm" align="center">
        <NativeSelect
          label={t("schedule.label")}
          value={String(days)}
          disabled={setting.isPending}
          data={offered.map((value) => ({
            value: String(value),
            label: t("schedule.every", { days: value }),
          }))}
          onChange={({ currentTarget }) =>
            setting.mutate({ channelId, modelCheckDays: Number(currentTarget.value) || null })
          }
        />
        {check && <LastCheck check={check} />}
      </Group>
      <Text size="xs" c="dimmed">
        {t("schedule.hint")}
      </Text>
      <FailureAlert error={setting.error} />
      {check && <Changes check={check} />}
    </Stack>
  );
}

type Check = {
  channelId: string;
  checkedAt: string | null;
  failure: string | null;
  newModels: string[];
  goneModels: string[];
};

function LastCheck({ check: { checkedAt, failure } }: { check: Check }) {
  const t = useTranslations("sale.schedule");
  return (
    <Text size="sm" c="dimmed" mt="lg" className="wrap-anywhere">
      {checkedAt === null ? t("soon") : t.rich("checked", { at: () => <Timestamp at={checkedAt} /> })}
      {failure !== null && ` ${t("failed", { reason: failure })}`}
    </Text>
  );
}

/** Names the first models in a sentence and counts the others. */
const NAMED = 8;

function Changes({ check: { channelId, newModels, goneModels } }: { check: Check }) {
  const t = useTranslations("sale");
  const common = useTranslations("common");
  const format = useFormatter();
  const seeing = useMutation(useTRPC().channels.seeModels.mutationOptions());
  const names = [...newModels, ...goneModels];
  if (names.length === 0) {
    return null;
  }
  const more = names.length - NAMED;
  const namedModels = more > 0 ? [...names.slice(0, NAMED), common("more", { count: more })] : names;
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm" className="grow wrap-anywhere">
        <b>{t("changes", { added: newModels.length, gone: goneModels.length })}</b>
        {": "}
        {format.list(namedModels)}
      </Text>
      <Button
        variant="default"
        size="xs"
        loading={seeing.isPending}
        onClick={() => seeing.mutate({ channelId })}
      >
        {t("schedule.seen")}
      </Button>
    </Group>
  );
}
