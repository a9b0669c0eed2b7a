import { List, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { MAX_RULES, splitRules } from "@/server/access/keys/allow-list-review";
import { isWrong } from "./rules";
import type { AllowList } from "./use-allow-list";

/** Errors listed at a time. */
const LISTED = 10;

/** The whole list as text, for pasting many rules and for copying them elsewhere. */
export function RuleText({ list }: { list: AllowList }) {
  const t = useTranslations("allowList");
  const [written, setText] = useState("");
  const rows = list.rows.map((row) => row.text).join("\n");
  // The text as it was typed, until the rows are changed elsewhere.
  const text = splitRules(written).join("\n") === rows ? written : rows;
  const wrong = list.review.flatMap((rule, index) => (isWrong(rule) ? [{ ...rule, number: index + 1 }] : []));
  return (
    <Stack gap="xs">
      <Textarea
        label={t("textLabel")}
        description={t("pasteHint")}
        placeholder={t("placeholder")}
        autosize
        minRows={4}
        maxRows={14}
        maxLength={60_000}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          list.edit({ type: "replace", texts: splitRules(event.currentTarget.value) });
        }}
      />
      <List size="sm" spacing={2}>
        {wrong.slice(0, LISTED).map(({ number, input, error }) => (
          <List.Item key={number} className="wrap-anywhere">
            <Text size="sm" c="var(--mantine-color-error)" span>
              {t("wrongRow", {
                number,
                input: input.slice(0, 60),
                fault: t(`faults.${error ?? "empty"}`, { max: MAX_RULES }),
              })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
