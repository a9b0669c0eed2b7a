import { Button, Group, Stack, Textarea } from "@mantine/core";
import { IconVectorTriangle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import type { Model } from "../models/model";
import { CallPane } from "./call-pane";
import { CodeButton } from "./code-button";
import { embed } from "./embed";
import { EmbeddingsResult } from "./embeddings-result";
import { ModelPicker, NoModel } from "./model-picker";
import { linesOf } from "./similarity";
import { useModelChoice } from "./use-model-choice";

/** A limit, because each text is compared with each other text. */
const MAX_TEXTS = 20;

/** Compares texts, one per line, by their vectors. */
export function EmbeddingsPane({ models }: { models: Model[] }) {
  const t = useTranslations("playground");
  const choice = useModelChoice(models, "embedding");
  const [text, setText] = useState(() =>
    [1, 2, 3].map((line) => t(`exampleTexts.${line as 1 | 2 | 3}`)).join("\n"),
  );
  const call = useMutation({ mutationFn: embed, meta: { showsFailure: true } });
  if (!choice.model) {
    return <NoModel />;
  }
  const model = choice.model.id;
  const input = linesOf(text);
  const isTooMany = input.length > MAX_TEXTS;
  return (
    <CallPane
      span={4}
      call={call}
      onSubmit={() => call.mutate({ model, input })}
      empty={{ icon: <IconVectorTriangle size={32} />, text: t("emptyEmbeddings") }}
      form={
        <Stack gap="sm">
          <ModelPicker {...choice} />
          <Textarea
            label={t("texts")}
            description={t("textsHint", { max: MAX_TEXTS })}
            error={isTooMany && t("tooManyTexts", { max: MAX_TEXTS })}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={5}
            maxRows={16}
          />
          <Group gap="xs">
            <Button type="submit" loading={call.isPending} disabled={input.length === 0 || isTooMany}>
              {t("embed")}
            </Button>
            <CodeButton model={model} call={{ kind: "embedding", input }} />
          </Group>
        </Stack>
      }
    >
      {call.data && <EmbeddingsResult result={call.data} />}
    </CallPane>
  );
}
