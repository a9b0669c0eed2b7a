import { Button, Group, Stack } from "@mantine/core";
import { IconMapPin } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Dimmed } from "../../_components/tables/dimmed";
import { AddRow } from "../../_forms/row-buttons";
import { isPrivate } from "./rules";
import type { AllowList } from "./use-allow-list";

type Props = {
  list: AllowList;
  here: string | null | undefined;
  isHereOut: boolean;
  /** Whether rules are shown one by one. */
  isShown: boolean;
  onAdd: (text: string) => void;
};

/** Buttons that add a rule, also for the reader's own address, with notes on that address. */
export function RuleActions({ list, here, isHereOut, isShown, onAdd }: Props) {
  const t = useTranslations("allowList");
  const addButton = useRef<HTMLButtonElement>(null);
  const { focus, stored } = list;
  useEffect(() => {
    // The last row was removed, and the focus with it.
    if (focus.id === null && focus.turn > 0) {
      addButton.current?.focus();
    }
  }, [focus]);
  // An empty list allows the address too, but the button still offers to add it as the first rule.
  const isCovered = here != null && stored.length > 0 && !isHereOut;
  return (
    <Stack gap={6}>
      {isShown && (
        <Group gap="xs">
          <AddRow to="keys.write" ref={addButton} onClick={() => onAdd("")}>
            {t("add")}
          </AddRow>
          {here != null && !isCovered && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconMapPin size={14} aria-hidden />}
              onClick={() => onAdd(here)}
            >
              {t("addHere", { address: here })}
            </Button>
          )}
        </Group>
      )}
      <Dimmed size="xs">
        {here === null && t("hereUnknown")}
        {here != null && isCovered && t("hereCovered", { address: here })}
        {here != null && !isCovered && isPrivate(here) && t("herePrivate", { address: here })}
      </Dimmed>
    </Stack>
  );
}
