import { Button, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { useAmount } from "../_components/text/use-amount";
import { SecretDialog } from "../_forms/secret-dialog";
import type { NewCodes } from "./code-batch";
import { CreateForm } from "./create-form";

/** A batch as a text file with one code per line. */
const fileOf = (codes: string[]) =>
  `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join("\n")}\n`)}`;

function Made({ batch, onTaken }: { batch: NewCodes; onTaken: () => void }) {
  const { name, amount, codes } = batch;
  const t = useTranslations("codes");
  const money = useAmount();
  return (
    <>
      <Text size="sm">{t("createdText", { count: codes.length, amount: money(amount) })}</Text>
      <Button
        component="a"
        href={fileOf(codes)}
        download={`${name}.txt`}
        onClick={onTaken}
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {t("download")}
      </Button>
    </>
  );
}

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("codes");
  return (
    <SecretDialog<NewCodes & { secret: string }>
      title={t("createTitle")}
      createdTitle={t("createdTitle")}
      label={t("secretLabel")}
      form={(onCreated) => (
        <CreateForm
          onCreated={(batch) => onCreated({ ...batch, secret: batch.codes.join("\n") })}
          onCancel={onClose}
        />
      )}
      onClose={onClose}
    >
      {(batch, onTaken) => <Made batch={batch} onTaken={onTaken} />}
    </SecretDialog>
  );
}
