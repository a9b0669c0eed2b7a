import { Button, Group, PasswordInput, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { CodeBlock } from "@/app/(console)/_components/snippets/code-block";
import { type Answer, requestOf, send } from "./trial";
import { setReaderKey, useReaderKey } from "./use-reader-key";

/** Below an example: the field for the reader's key, and for a curl command a button that runs it. */
export function Trial({ code }: { code: string }) {
  const t = useTranslations("docs");
  const key = useReaderKey();
  const [isOpen, setOpen] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [answer, setAnswer] = useState<Answer | "failed" | null>(null);
  const request = requestOf(code);
  async function run(): Promise<void> {
    if (!request) {
      return;
    }
    setRunning(true);
    setAnswer(await send(request).catch(() => "failed" as const));
    setRunning(false);
  }
  if (!isOpen) {
    return (
      <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setOpen(true)}>
        {t(request ? "try" : "insertKey")}
      </Button>
    );
  }
  return (
    <form
      className="doc-trial"
      onSubmit={async (event) => {
        event.preventDefault();
        await run();
      }}
    >
      <Group align="end" gap="xs">
        <PasswordInput
          autoFocus
          flex="1 1 16rem"
          label={t("key")}
          placeholder="sk-…"
          autoComplete="off"
          value={key}
          onChange={(event) => setReaderKey(event.currentTarget.value)}
        />
        {request && (
          <Button type="submit" loading={isRunning} disabled={key === ""}>
            {t("run")}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed" mt={6}>
        {t(request ? "keyNoteCharged" : "keyNote")}
      </Text>
      <div role="status">
        {answer === "failed" && <Text mt="xs">{t("noAnswer")}</Text>}
        {answer !== null && answer !== "failed" && (
          <>
            <Text size="sm" mt="xs" mb={4}>
              {t("answer", { status: answer.status, ms: answer.ms })}
            </Text>
            <CodeBlock code={answer.text} label={t("copyAnswer")} language="json" />
          </>
        )}
      </div>
    </form>
  );
}
