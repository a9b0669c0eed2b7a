import { Alert, Button, Stack, Text, Textarea } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "../../_components/snippets/code-block";
import type { Offers } from "../channel";
import { namesIn } from "./sale-draft";

type Props = {
  failure: NonNullable<Offers["failure"]>;
  isPending: boolean;
  onNames: (names: string[]) => void;
};

/** Why a vendor's models could not be listed, and a field for their names instead. */
export function PasteBox({ failure, isPending, onNames }: Props) {
  const t = useTranslations("sale");
  const faults = useTranslations("channels.fault");
  const [text, setText] = useState("");
  const names = namesIn(text);
  const isNone = failure.reason === "none";
  const reason = failure.reason === "none" ? null : faults(failure.reason);
  const title = isNone
    ? t("listNone")
    : t("listFailed", { reason: failure.status === null ? (reason ?? "") : `${reason} (${failure.status})` });
  return (
    <Stack>
      <Alert color={isNone ? "blue" : "orange"} icon={<IconInfoCircle aria-hidden />} title={title}>
        <Stack gap="xs">
          {failure.message !== "" && <CodeBlock code={failure.message} label={t("vendorWords")} />}
          <Text size="sm">{t("pasteText")}</Text>
        </Stack>
      </Alert>
      <Textarea
        label={t("pasteLabel")}
        description={t("pasteHint")}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        maxLength={100_000}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button
        variant="default"
        style={{ alignSelf: "flex-start" }}
        disabled={names.length === 0}
        loading={isPending}
        onClick={() => onNames(names.slice(0, 1_000))}
      >
        {t("pasteAction", { count: names.length })}
      </Button>
    </Stack>
  );
}
