import { TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { dayOf } from "@/server/domain/days";
import { useInstallation } from "../text/installation";
import { useNow } from "../text/use-now";
import { ChoiceSelect } from "./choice-select";
import { dayIn, rangeOf, type SpanParameters, shownRanges } from "./span-parameters";

type Props = {
  parameters: SpanParameters;
  onChange: (change: { [Name in keyof SpanParameters]?: SpanParameters[Name] | null }) => unknown;
};

const DAY_MS = 86_400_000;

/** Fields that choose a span. A custom span starts as yesterday. */
export function SpanFields({ parameters, onChange }: Props) {
  const t = useTranslations("usage");
  const { billingTimeZone: timeZone } = useInstallation();
  const now = useNow();
  const range = rangeOf(parameters);
  const choose = (chosen: (typeof shownRanges)[number] | null) => {
    const yesterday = dayOf(now - DAY_MS, timeZone);
    const day = chosen === "custom" ? yesterday : null;
    void onChange({ range: chosen, from: day, to: day });
  };
  const day = (member: "from" | "to") => (
    <TextInput
      key={`${member}.${parameters[member]}`}
      type="date"
      label={t(member)}
      defaultValue={dayIn(parameters[member]) ?? ""}
      onBlur={({ currentTarget }) =>
        void onChange({ range: "custom", [member]: dayIn(currentTarget.value) ?? null })
      }
    />
  );
  return (
    <>
      <ChoiceSelect
        label={t("range")}
        choices={shownRanges}
        nameOf={(choice) => t(`ranges.${choice}`)}
        value={range}
        onChange={choose}
      />
      {range === "custom" && day("from")}
      {range === "custom" && day("to")}
    </>
  );
}
