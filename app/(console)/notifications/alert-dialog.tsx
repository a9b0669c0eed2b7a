import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { type Language, languages } from "@/server/base/language";
import { FormDialog } from "../_forms/form-dialog";
import type { RecipientRow } from "./alerts";
import { EventField } from "./event-field";
import { useSetAlerts } from "./use-alerts";

/** The events preselected for a user without a choice yet. */
const usual = ["quota.threshold", "key.cap_threshold"] as const;

/** The events that a user is notified of by e-mail. */
export function AlertDialog({ recipient, onClose }: { recipient: RecipientRow; onClose: () => void }) {
  const t = useTranslations("alerts");
  const locale = useLocale() as Language;
  const { userId, email } = recipient;
  const [events, setEvents] = useState<RecipientRow["events"]>(
    recipient.language === null ? [...usual] : recipient.events,
  );
  const [language, setLanguage] = useState(recipient.language ?? locale);
  const change = useSetAlerts(onClose);
  return (
    <FormDialog
      title={t("chooseTitle", { email })}
      action={t("chooseAction")}
      change={change}
      onSubmit={() => change.mutate({ userId, events, language })}
      onClose={onClose}
    >
      <EventField value={events} onChange={setEvents} />
      <NativeSelect
        label={t("language")}
        value={language}
        data={languages.map((code) => ({ value: code, label: t(`languages.${code}`) }))}
        onChange={({ currentTarget }) =>
          setLanguage(languages.find((code) => code === currentTarget.value) ?? language)
        }
      />
    </FormDialog>
  );
}
