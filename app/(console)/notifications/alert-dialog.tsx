import { useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "../_forms/form-dialog";
import type { RecipientRow } from "./alerts";
import { EventField } from "./event-field";
import { useSetAlerts } from "./use-alerts";

/** The events preselected for a user without a choice yet. */
const usual = ["quota.threshold", "key.cap_threshold"] as const;

/** The events that a user is notified of by e-mail. */
export function AlertDialog({ recipient, onClose }: { recipient: RecipientRow; onClose: () => void }) {
  const t = useTranslations("alerts");
  const { userId, email } = recipient;
  const [events, setEvents] = useState<RecipientRow["events"]>(
    recipient.language === null ? [...usual] : recipient.events,
  );
  const change = useSetAlerts(onClose);
  return (
    <FormDialog
      title={t("chooseTitle", { email })}
      action={t("chooseAction")}
      change={change}
      onSubmit={() => change.mutate({ userId, events })}
      onClose={onClose}
    >
      <EventField value={events} onChange={setEvents} />
    </FormDialog>
  );
}
