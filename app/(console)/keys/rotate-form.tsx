import { Alert, Radio, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { FormEnd } from "../_forms/form-end";
import type { Rotated, RotatedKey } from "./key";

/** How long the old secret is accepted, in seconds. */
const keeps = { keepHour: 3_600, keepNone: 0 };
type Keep = keyof typeof keeps;

type Props = { entry: Rotated; onRotated: (key: RotatedKey) => void; onCancel: () => void };

export function RotateForm({ entry, onRotated, onCancel }: Props) {
  const t = useTranslations("keys");
  const [keep, setKeep] = useState<Keep>("keepHour");
  const rotation = useMutation(
    useTRPC().keys.rotate.mutationOptions({ meta: { showsFailure: true }, onSuccess: onRotated }),
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    rotation.mutate({ keyId: entry.id, keepOldSeconds: keeps[keep] });
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("rotateText", { name: entry.name })}</Text>
        <Radio.Group
          label={t("oldSecret", { lastFour: entry.lastFour })}
          value={keep}
          onChange={(chosen) => setKeep(chosen === "keepNone" ? "keepNone" : "keepHour")}
        >
          <Stack gap="sm" mt="xs">
            {(["keepHour", "keepNone"] as const).map((choice, place) => (
              <Radio
                key={choice}
                value={choice}
                label={t(choice)}
                description={t(`${choice}Hint`)}
                {...(place === 0 && { "data-autofocus": true })}
              />
            ))}
          </Stack>
        </Radio.Group>
        {entry.oldLastFour !== null && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
            {t("rotateAgain", { lastFour: entry.oldLastFour })}
          </Alert>
        )}
        <FormEnd
          action={t("rotateAction")}
          isDanger={keep === "keepNone"}
          change={rotation}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
