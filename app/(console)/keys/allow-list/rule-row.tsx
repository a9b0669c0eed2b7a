import { Group, Text, TextInput } from "@mantine/core";
import { type ClipboardEvent, type Dispatch, type KeyboardEvent, memo, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { MAX_RULES, type ReviewedRule, splitRules } from "@/server/access/keys/allow-list-review";
import { RemoveRow } from "../../_forms/row-buttons";
import type { RuleEdit } from "./rules";

type Props = {
  id: number;
  number: number;
  text: string;
  /** null: not reviewed yet. */
  review: ReviewedRule | null;
  /** The canonical form of the rule that contains this one. */
  container: string | null;
  /** Changes when the row should take the focus. */
  focusTurn: number;
  edit: Dispatch<RuleEdit>;
};

/** A note on a valid rule. */
function useNote({ review, container }: Pick<Props, "review" | "container">): string | null {
  const t = useTranslations("allowList");
  if (!review?.canonical) {
    return null;
  }
  const { canonical, duplicateOf, containedIn, hadHostBits, input } = review;
  if (duplicateOf !== null) {
    return t("duplicate", { number: duplicateOf + 1 });
  }
  if (containedIn !== null && container !== null) {
    return t("contained", { number: containedIn + 1, rule: container });
  }
  if (hadHostBits) {
    return t("hadHostBits", { canonical });
  }
  return canonical === input.trim() ? null : t("storedAs", { canonical });
}

function RuleInput({ id, number, text, review, container, focusTurn, edit }: Props) {
  const t = useTranslations("allowList");
  const input = useRef<HTMLInputElement>(null);
  const note = useNote({ review, container });
  useEffect(() => {
    if (focusTurn > 0) {
      input.current?.focus();
    }
  }, [focusTurn]);

  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text");
    if (splitRules(pasted).length > 1) {
      // The field itself would drop the line breaks that separate the rules.
      event.preventDefault();
      const { selectionStart, selectionEnd, value } = event.currentTarget;
      const start = value.slice(0, selectionStart ?? value.length);
      edit({ type: "write", id, text: `${start}${pasted}${value.slice(selectionEnd ?? value.length)}` });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      // Enter must not submit the surrounding form.
      event.preventDefault();
      edit({ type: "append", texts: [""] });
    }
  };
  const fault = review?.error && review.error !== "empty" ? review.error : null;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed" ta="right" w={28} lh="36px" flex="none" aria-hidden>
        {number}
      </Text>
      <TextInput
        ref={input}
        flex={1}
        aria-label={t("rule", { number })}
        placeholder={t("placeholder")}
        value={text}
        maxLength={10_000}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        error={fault && t(`faults.${fault}`, { max: MAX_RULES })}
        description={note}
        inputWrapperOrder={["input", "description", "error"]}
        onChange={(event) => edit({ type: "write", id, text: event.currentTarget.value })}
        onPaste={onPaste}
        onKeyDown={onKeyDown}
      />
      <RemoveRow
        to="keys.write"
        label={t("remove", { number })}
        onClick={() => edit({ type: "remove", ids: [id] })}
      />
    </Group>
  );
}

const isSameReview = (left: ReviewedRule | null, right: ReviewedRule | null) =>
  left?.input === right?.input &&
  left?.error === right?.error &&
  left?.duplicateOf === right?.duplicateOf &&
  left?.containedIn === right?.containedIn;

/** Memoized: a row of a long list renders again only when it has changed. */
export const RuleRow = memo(
  RuleInput,
  (before, after) =>
    before.id === after.id &&
    before.number === after.number &&
    before.text === after.text &&
    before.container === after.container &&
    before.focusTurn === after.focusTurn &&
    isSameReview(before.review, after.review),
);
