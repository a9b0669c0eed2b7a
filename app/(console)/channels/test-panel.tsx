import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { Dimmed } from "../_components/tables/dimmed";
import { FailureAlert } from "../_forms/failure-alert";
import type { ChannelDetail, NewChannel } from "./channel";
import { TestResult, TestWaiting } from "./test-result";

/** A stored channel, or the values of the form; null: the form cannot be tested yet. */
export type TestSubject =
  | { kind: "stored"; channel: ChannelDetail; isEdited: boolean }
  | { kind: "draft"; draft: NewChannel | null };

function noteOf(subject: TestSubject, models: string[]) {
  if (subject.kind === "draft" && !subject.draft) {
    return "testFixFirst";
  }
  if (models.length === 0) {
    return "testNoModel";
  }
  if (subject.kind === "stored") {
    return subject.isEdited ? "testSaved" : null;
  }
  return "testUnsaved";
}

function useTest(subject: TestSubject) {
  const { channels } = useTRPC();
  const meta = { showsFailure: true };
  const stored = useMutation(channels.test.mutationOptions({ meta }));
  const unsaved = useMutation(channels.testDraft.mutationOptions({ meta }));
  const run = (modelId: string, credential: number) => {
    if (subject.kind === "stored") {
      unsaved.reset();
      stored.mutate({ channelId: subject.channel.id, modelId, credential });
    } else if (subject.draft) {
      stored.reset();
      unsaved.mutate({ draft: subject.draft, modelId });
    }
  };
  const last = stored.isIdle ? unsaved : stored;
  return { run, isPending: last.isPending, result: last.data, error: last.error };
}

function modelNames(subject: TestSubject): string[] {
  const models = subject.kind === "stored" ? subject.channel.models : (subject.draft?.models ?? []);
  return models.map(({ modelId }) => modelId);
}

/** Scrolls to the panel for a link to `#test`: the panel was not on the page when the browser looked for it. */
function useHashTarget() {
  return useCallback((element: HTMLElement | null) => {
    if (element && window.location.hash === `#${element.id}`) {
      element.scrollIntoView();
      element.focus();
    }
  }, []);
}

/** Makes one small real call and shows the upstream's answer. */
export function TestPanel({ subject }: { subject: TestSubject }) {
  const t = useTranslations("channels");
  const [chosen, setChosen] = useState("");
  const [credential, setCredential] = useState(0);
  const { run, isPending, result, error } = useTest(subject);
  const models = modelNames(subject);
  const model = models.includes(chosen) ? chosen : (models[0] ?? "");
  const hints = subject.kind === "stored" ? subject.channel.credentialHints : [];
  const note = noteOf(subject, models);
  return (
    <Paper withBorder p="lg" id="test" ref={useHashTarget()} tabIndex={-1}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("testTitle")}
        </Title>
        <Dimmed>{t("testText")}</Dimmed>
        {note && <Text size="sm">{t(note)}</Text>}
        <Group align="flex-end" gap="sm">
          <NativeSelect
            flex="1 1 14rem"
            maw={360}
            label={t("testModel")}
            disabled={models.length === 0}
            data={models}
            value={model}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          {hints.length > 1 && (
            <NativeSelect
              label={t("testCredential")}
              data={hints.map((hint, index) => ({
                value: String(index),
                label: hint ? t("credentialHint", { hint }) : t("credentialNumber", { number: index + 1 }),
              }))}
              value={String(credential)}
              onChange={(event) => setCredential(Number(event.currentTarget.value))}
            />
          )}
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            disabled={model === "" || isPending}
            onClick={() => run(model, credential)}
          >
            {t("testRun")}
          </Button>
        </Group>
        {isPending && <TestWaiting />}
        <div aria-live="polite">
          {!isPending && result && <TestResult result={result} />}
          {!isPending && <FailureAlert error={error} title={t("testFailed")} />}
        </div>
      </Stack>
    </Paper>
  );
}
