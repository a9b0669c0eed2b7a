import { Alert, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconWorld } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { allowsAddress } from "@/server/access/keys/allow-list-review";
import { AddressTest } from "./address-test";
import { RuleActions } from "./rule-actions";
import { RuleRows } from "./rule-rows";
import { RuleText } from "./rule-text";
import { isRedundant, isWrong, type RuleEdit } from "./rules";
import type { AllowList } from "./use-allow-list";

type LockOutProps = {
  /** The address of the key's last use, and the reader's own; null if the rules allow it. */
  lastAddress: string | null;
  here: string | null;
  onAdd: (address: string) => void;
};

/** Warns before saving that the list would refuse a current caller. It is no error: the user may want that. */
function LockOut({ lastAddress, here, onAdd }: LockOutProps) {
  const t = useTranslations("allowList");
  return (
    <>
      {lastAddress !== null && (
        <Alert color="orange" title={t("lockOutTitle")} icon={<IconAlertTriangle aria-hidden />}>
          <Stack gap={6} align="flex-start">
            <Text size="sm">{t("lockOutLast", { address: lastAddress })}</Text>
            <Button size="xs" variant="default" onClick={() => onAdd(lastAddress)}>
              {t("addAddress", { address: lastAddress })}
            </Button>
          </Stack>
        </Alert>
      )}
      {here !== null && (
        <Alert color="orange" p="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {t("lockOutHere", { address: here })}
        </Alert>
      )}
    </>
  );
}

type FindingsProps = { list: AllowList; edit: (change: RuleEdit) => void };

/** The errors that keep a list from being saved, and its redundant rules. */
function Findings({ list, edit }: FindingsProps) {
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

type Props = {
  list: AllowList;
  /** The address of the key's last use. null: unknown. */
  lastAddress: string | null;
  /** The reader's own address, as the server sees it. null: the server cannot see it; undefined: not loaded yet. */
  here: string | null | undefined;
};

/** Edits the addresses that may use a key: rule by rule, or as a text. Each rule is checked as it is typed. */
export function AllowListEditor({ list, lastAddress, here }: Props) {
  const t = useTranslations("allowList");
  const [view, setView] = useState<"rows" | "text">("rows");
  const { stored } = list;
  const isHereOut = useMemo(() => here != null && !allowsAddress(stored, here), [stored, here]);
  const isLastOut = useMemo(
    () => lastAddress !== null && !allowsAddress(stored, lastAddress),
    [stored, lastAddress],
  );
  // A change by a button is shown in the view of single rules.
  const edit = (change: RuleEdit) => {
    setView("rows");
    list.edit(change);
  };
  const add = (text: string) => edit({ type: "append", texts: [text] });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap={6} wrap="nowrap" fz="sm" role="status" flex="1 1 12rem">
          {stored.length === 0 && <IconWorld size={16} aria-hidden style={{ flex: "none" }} />}
          {stored.length === 0 ? t("anyAddress") : t("rules", { count: stored.length })}
        </Group>
        <SegmentedControl
          size="xs"
          aria-label={t("view")}
          value={view}
          onChange={setView}
          data={[
            { value: "rows", label: t("asRows") },
            { value: "text", label: t("asText") },
          ]}
        />
      </Group>
      {view === "text" ? <RuleText list={list} /> : <RuleRows list={list} />}
      <RuleActions list={list} here={here} isHereOut={isHereOut} isShown={view === "rows"} onAdd={add} />
      <Stack gap="xs" role="status">
        <Findings list={list} edit={edit} />
        <LockOut
          lastAddress={isLastOut ? lastAddress : null}
          here={isHereOut && here !== lastAddress ? (here ?? null) : null}
          onAdd={add}
        />
      </Stack>
      {stored.length > 0 && <AddressTest review={list.review} />}
    </Stack>
  );
}
