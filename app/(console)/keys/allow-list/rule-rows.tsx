import { Button, Group, Stack } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { RuleRow } from "./rule-row";
import { isWrong } from "./rules";
import type { AllowList } from "./use-allow-list";

/** Rows rendered at a time: a thousand fields at once would be slow. */
const STEP = 100;

/** One field per rule. A long list is shown in parts, and its wrong rules can be shown alone. */
export function RuleRows({ list }: { list: AllowList }) {
  const t = useTranslations("allowList");
  const { rows, review, reviewed, focus, edit } = list;
  const [shown, setShown] = useState(STEP);
  // The rules that were wrong when the filter was set: a corrected row does not vanish under the cursor.
  const [only, setOnly] = useState<ReadonlySet<number> | null>(null);
  const wrong = reviewed.filter((_, index) => review[index] && isWrong(review[index]));
  const numbered = rows.map((row, index) => ({ ...row, index }));
  const chosen = only ? numbered.filter(({ id }) => only.has(id) || id === focus.id) : numbered;
  const visible = chosen.filter(({ id }, place) => place < shown || id === focus.id);
  const hidden = chosen.length - visible.length;
  const reviews = new Map(reviewed.map(({ id }, index) => [id, review[index] ?? null]));
  return (
    <Stack gap="xs">
      {rows.length > 20 && (wrong.length > 0 || only) && (
        <Group>
          <Button
            size="xs"
            variant={only ? "light" : "default"}
            aria-pressed={only !== null}
            leftSection={<IconFilter size={14} aria-hidden />}
            onClick={() => setOnly(only ? null : new Set(wrong.map(({ id }) => id)))}
          >
            {t("onlyWrong")}
          </Button>
        </Group>
      )}
      {visible.map(({ id, text, index }) => {
        const ruleReview = reviews.get(id) ?? null;
        const container = ruleReview?.containedIn == null ? null : review[ruleReview.containedIn]?.canonical;
        return (
          <RuleRow
            key={id}
            id={id}
            number={index + 1}
            text={text}
            review={ruleReview}
            container={container ?? null}
            focusTurn={focus.id === id ? focus.turn : 0}
            edit={edit}
          />
        );
      })}
      {hidden > 0 && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setShown(shown + STEP)}>
            {t("showMore", { count: Math.min(hidden, STEP) })}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
