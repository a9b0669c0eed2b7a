import { Checkbox, Code, Stack } from "@mantine/core";
import { useTranslations } from "use-intl";
import { accountEvents, eventTypes } from "@/server/domain/enums";
import { useSide } from "../_components/shell/viewer";
import { type EventType, eventKeys, useEventName } from "./use-event-name";

type Events = EventType[];

/** The events that a person or a webhook receives. `withTypes`: a program reads them, so it also shows their types. */
export function EventField(props: {
  value: Events;
  withTypes?: boolean;
  error?: string | undefined;
  onChange: (events: Events) => void;
}) {
  const t = useTranslations("webhooks");
  const nameOf = useEventName();
  const offered: readonly EventType[] = useSide() === "operator" ? eventTypes : accountEvents;
  const { value, withTypes = false, error, onChange } = props;
  return (
    <Checkbox.Group
      label={t("events")}
      error={error}
      value={value}
      onChange={(chosen) => onChange(offered.filter((event) => chosen.includes(event)))}
    >
      <Stack gap="xs" mt="xs">
        {offered.map((event) => (
          <Checkbox
            key={event}
            value={event}
            label={nameOf(event)}
            description={
              <>
                {t(`event.${eventKeys[event]}`)}
                {withTypes && <Code ml={4}>{event}</Code>}
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
