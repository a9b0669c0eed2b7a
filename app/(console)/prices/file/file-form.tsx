import { Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconUpload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { ExportButton } from "../../_components/tables/export-button";
import { FailureAlert } from "../../_forms/failure-alert";
import { FilePlan } from "./file-plan";

/** The longest text that the server takes. */
const MOST_TEXT = 600_000;

const ROWS = 8;

/** Sets prices from a file. Its changes and every wrong line are shown before anything is saved. */
export function FileForm() {
  const t = useTranslations("prices");
  const router = useRouter();
  const { prices } = useTRPC();
  const [csv, setCsv] = useState("");
  const preview = useMutation(prices.previewFile.mutationOptions({ meta: { showsFailure: true } }));
  const change = useMutation(
    prices.importFile.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ models }) => {
        const count = new Set(models.map(({ modelId }) => modelId)).size;
        notifications.show({ message: t("gridSavedNotice", { count }), role: "status" });
        router.push(addresses.prices());
      },
    }),
  );
  // The preview belongs to the text that was checked, so an edit discards it.
  const type = (text: string) => {
    setCsv(text);
    preview.reset();
    change.reset();
  };
  const plan = preview.data;
  const isTooLong = csv.length > MOST_TEXT;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (plan) {
      change.mutate({ csv });
    } else {
      preview.mutate({ csv });
    }
  };
  return (
    <form method="post" noValidate onSubmit={submit}>
      <Stack>
        <Card title={t("fileChoose")}>
          <Group gap="sm">
            <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => void file?.text().then(type)}>
              {(button) => (
                <Button {...button} variant="default" leftSection={<IconUpload size={16} aria-hidden />}>
                  {t("fileUpload")}
                </Button>
              )}
            </FileButton>
            <ExportButton href={addresses.exported("prices")} />
          </Group>
          <Textarea
            label={t("filePaste")}
            description={t("fileHint")}
            inputWrapperOrder={["label", "input", "description"]}
            autosize
            minRows={ROWS}
            maxRows={ROWS * 2}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            value={csv}
            error={isTooLong && t("fileTooLong")}
            onChange={({ currentTarget }) => type(currentTarget.value)}
          />
        </Card>
        {plan && <FilePlan plan={plan} />}
        <FailureAlert error={preview.error ?? change.error} />
        <Group justify="flex-end">
          {plan && (
            <Button variant="default" onClick={() => type(csv)}>
              {t("fileBack")}
            </Button>
          )}
          {plan ? (
            <Button
              type="submit"
              loading={change.isPending}
              disabled={plan.problems.length > 0 || plan.changes.length === 0}
            >
              {t("fileApply", { count: plan.changes.length })}
            </Button>
          ) : (
            <Button type="submit" loading={preview.isPending} disabled={csv.trim() === "" || isTooLong}>
              {t("gridReview")}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
