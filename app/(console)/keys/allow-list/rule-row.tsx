import { Group, Text, TextInput } from "@mantine/core";
import { type ClipboardEvent, type Dispatch, type KeyboardEvent, memo, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { MAX_RULES, type ReviewedRule, splitRules } from "@/server/access/allow-list-review";
import { RemoveRow } from "../../_forms/row-buttons";
import type { RuleEdit } from "./rules";

type Props = {
  id: number;
  number: number;
  text: string;
  /** null: it has not been reviewed yet. */
  review: ReviewedRule | null;
  /** The canonical form of the row that has this one in it. */
  container: string | null;
  /** Changes when the row is to take the focus. */
  focusTurn: number;
  edit: Dispatch<RuleEdit>;
};

/** What there is to know of a rule that is right. */
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
      // The field itself would drop the line ends that separate them.
      event.preventDefault();
      const { selectionStart, selectionEnd, value } = event.currentTarget;
      const start = value.slice(0, selectionStart ?? value.length);
      edit({ type: "write", id, text: `${start}${pasted}${value.slice(selectionEnd ?? value.length)}` });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      // It does not send the form around it.
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

const isSameReview = (one: ReviewedRule | null, other: ReviewedRule | null) =>
  one?.input === other?.input &&
  one?.error === other?.error &&
  one?.duplicateOf === other?.duplicateOf &&
  one?.containedIn === other?.containedIn;

/** A row of a long list is drawn again only when something about it has changed. */
export const RuleRow = memo(
  RuleInput,
  (one, other) =>
    one.id === other.id &&
    one.number === other.number &&
    one.text === other.text &&
    one.container === other.container &&
    one.focusTurn === other.focusTurn &&
    isSameReview(one.review, other.review),
);
