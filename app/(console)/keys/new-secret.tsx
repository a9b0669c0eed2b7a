import { Alert, Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconAlertTriangle, IconCheck, IconCopy, IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Snippets } from "../_components/snippets";
import { beside } from "../_components/stale-note";
import { useTRPC } from "../_components/trpc";
import type { NewKey } from "./key";

type Props = {
  created: NewKey;
  /** Whether it is being closed without a copy. */
  isAsked: boolean;
  onTaken: () => void;
  onBack: () => void;
  onClose: () => void;
};

/** A new key's secret, the only time that anybody sees it, and code that has it filled in. */
export function NewSecret({ created, isAsked, onTaken, onBack, onClose }: Props) {
  const t = useTranslations("keys");
  return (
    <Stack>
      <Alert color="orange" icon={<IconKey aria-hidden />} role="status">
        {t("secretOnce")}
      </Alert>
      <Secret secret={created.secret} onTaken={onTaken} />
      <FirstCall created={created} />
      {isAsked ? (
        <NotCopied onBack={onBack} onClose={onClose} />
      ) : (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("done")}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function NotCopied({ onBack, onClose }: Pick<Props, "onBack" | "onClose">) {
  const t = useTranslations("keys");
  const back = useRef<HTMLButtonElement>(null);
  // It stands at the end of what may be a long dialog.
  useEffect(() => back.current?.focus(), []);
  return (
    <Alert color="red" role="alert" title={t("notCopiedTitle")} icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="sm">
        <Text size="sm">{t("notCopiedText")}</Text>
        <Group>
          <Button ref={back} onClick={onBack}>
            {t("notCopiedBack")}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t("notCopiedClose")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Secret({ secret, onTaken }: { secret: string; onTaken: () => void }) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const { copy, copied, error } = useClipboard({ timeout: 3_000 });
  const button = useRef<HTMLButtonElement>(null);
  // The form that had the focus is gone.
  useEffect(() => button.current?.focus(), []);
  const taken = useRef(onTaken);
  taken.current = onTaken;
  useEffect(() => {
    if (copied) {
      taken.current();
    }
  }, [copied]);
  return (
    <Stack gap="xs">
      <Code block className="wrap-anywhere" fz="md" p="md" aria-label={t("secretLabel")} onCopy={onTaken}>
        <span style={{ userSelect: "all", whiteSpace: "pre-wrap" }}>{secret}</span>
      </Code>
      <Group gap="sm">
        <Button
          ref={button}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={() => copy(secret)}
        >
          {t("copySecret")}
        </Button>
        <Text size="sm" role="status">
          {copied && common("copied")}
          {error && t("copyFailed")}
        </Text>
      </Group>
    </Stack>
  );
}

/** A call of a model that the key may use; nothing while there is none. */
function FirstCall({ created: { models, secret } }: { created: NewKey }) {
  const t = useTranslations("keys");
  const { data: choices } = useQuery(useTRPC().keys.choices.queryOptions(undefined, beside));
  const usable = choices?.models.filter(({ id }) => models.length === 0 || models.includes(id)) ?? [];
  const model = usable.find(({ kind }) => kind === "chat") ?? usable[0];
  if (!model) {
    return null;
  }
  return (
    <section>
      <Title order={3} size="h5" mb="xs">
        {t("snippetsTitle")}
      </Title>
      <Snippets secret={secret} model={model.id} kind={model.kind} />
    </section>
  );
}
