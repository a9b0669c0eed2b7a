import { Group, SegmentedControl, Stack } from "@mantine/core";
import { IconWorld } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { allowsAddress } from "@/server/access/keys/allow-list-review";
import { AddressTest } from "./address-test";
import { Findings } from "./findings";
import { LockOut } from "./lock-out";
import { RuleActions } from "./rule-actions";
import { RuleRows } from "./rule-rows";
import { RuleText } from "./rule-text";
import type { RuleEdit } from "./rules";
import type { AllowList } from "./use-allow-list";

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
