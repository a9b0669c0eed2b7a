import { Button, Grid, Group, Paper, Stack, VisuallyHidden } from "@mantine/core";
import { IconMessageCircle, IconPlus } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import type { ChatMessage } from "../_components/snippets/snippet-templates";
import type { Model } from "../models/model";
import { CodeButton } from "./code-button";
import { Composer } from "./composer";
import { ConversationSettings } from "./conversation-settings";
import type { PlaygroundDialect } from "./dialect";
import { type Exchange, historyOf } from "./exchange";
import { NoModel } from "./model-picker";
import { NothingYet } from "./nothing-yet";
import { ExchangeView } from "./thread";
import { useConversation } from "./use-conversation";
import { useModelChoice } from "./use-model-choice";

/** Within this distance of the page's end, the user counts as reading along. */
const NEAR_PX = 300;

/** Keeps the page's end in view while text is added, unless the user has scrolled away from it. */
function useFollow(written: unknown, isWriting: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new piece of what is written moves the page's end
  useEffect(() => {
    const page = document.documentElement;
    const isNear = page.scrollHeight - page.clientHeight - window.scrollY < NEAR_PX;
    if (isWriting && isNear) {
      window.scrollTo({ top: page.scrollHeight });
    }
  }, [written, isWriting]);
}

const NO_TERMS = { system: "", temperature: null, maxTokens: null };

/** The messages of the next call; without a draft, those of the last call. */
function nextMessages(exchanges: Exchange[], draft: string): ChatMessage[] {
  const history = historyOf(exchanges);
  return draft.trim() === "" ? history.slice(0, -1) : [...history, { role: "user", content: draft }];
}

/** A thread over one of the two conversation endpoints. */
export function ConversationPane({ dialect, models }: { dialect: PlaygroundDialect; models: Model[] }) {
  const t = useTranslations("playground");
  const choice = useModelChoice(models, "chat");
  const { exchanges, isRunning, ...conversation } = useConversation(dialect);
  const [terms, setTerms] = useState<Parameters<typeof ConversationSettings>[0]["terms"]>(NO_TERMS);
  const [draft, setDraft] = useState("");
  if (!choice.model) {
    return <NoModel />;
  }
  const settings = { ...terms, model: choice.model.id };
  const send = () => {
    conversation.send(draft, settings);
    setDraft("");
  };
  const call = { kind: "chat" as const, ...terms, messages: nextMessages(exchanges, draft) };
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <ConversationSettings
          dialect={dialect}
          choice={choice}
          terms={terms}
          onChange={(change) => setTerms({ ...terms, ...change })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Paper withBorder p="md" className="conversation">
          <Group gap="xs" justify="flex-end">
            <CodeButton
              model={settings.model}
              call={call}
              initial={dialect === "messages" ? "anthropic" : "curl"}
            />
            {exchanges.length > 0 && (
              <Button
                variant="default"
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={conversation.clear}
              >
                {t("newThread")}
              </Button>
            )}
          </Group>
          <Thread exchanges={exchanges} isRunning={isRunning} onRetry={() => conversation.retry(settings)} />
          <Composer
            draft={draft}
            onChange={setDraft}
            onSend={send}
            onStop={isRunning ? conversation.stop : null}
          />
        </Paper>
      </Grid.Col>
    </Grid>
  );
}

type ThreadProps = { exchanges: Exchange[]; isRunning: boolean; onRetry: () => void };

function Thread({ exchanges, isRunning, onRetry }: ThreadProps) {
  const t = useTranslations("playground");
  const last = exchanges.at(-1);
  useFollow(exchanges, isRunning);
  return (
    <section aria-live="polite" aria-busy={isRunning} className="thread">
      <VisuallyHidden component="h2">{t("thread")}</VisuallyHidden>
      {exchanges.length === 0 && (
        <NothingYet icon={<IconMessageCircle size={32} />} text={t("emptyThread")} />
      )}
      <Stack gap="lg">
        {exchanges.map((exchange) => (
          <ExchangeView
            key={exchange.id}
            exchange={exchange}
            onRetry={exchange === last && !isRunning ? onRetry : null}
          />
        ))}
      </Stack>
    </section>
  );
}
