import { SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { ChoiceSelect } from "../_components/choice-select";
import { useInstallation } from "../_components/installation";
import { AccountSelect } from "../_components/lazy-selects";
import { useNow } from "../_components/use-now";
import { dayIn, groupsOf, rangeOf, type Side, shownRanges, type UsageParameters } from "./usage-filter";

type Props = {
  side: Side;
  parameters: UsageParameters;
  onChange: (change: Partial<{ [Name in keyof UsageParameters]: UsageParameters[Name] | null }>) => unknown;
};

const DAY_MS = 86_400_000;

/** Which span, by what, and whose. A span of one's own begins as yesterday. */
export function UsageFilters({ side, parameters, onChange }: Props) {
  const t = useTranslations("usage");
  const { billingTimeZone: timeZone } = useInstallation();
  const now = useNow();
  const range = rangeOf(parameters);
  const choose = (chosen: (typeof shownRanges)[number] | null) => {
    const yesterday = new Intl.DateTimeFormat("en-CA", { timeZone }).format(now - DAY_MS);
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
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" role="search">
      <ChoiceSelect
        label={t("range")}
        choices={shownRanges}
        nameOf={(one) => t(`ranges.${one}`)}
        value={range}
        onChange={choose}
      />
      {range === "custom" && day("from")}
      {range === "custom" && day("to")}
      <ChoiceSelect
        label={t("by")}
        choices={groupsOf(side)}
        nameOf={(one) => t(`groups.${one}`)}
        value={parameters.by}
        onChange={(by) => void onChange({ by })}
      />
      {side === "operator" && (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
    </SimpleGrid>
  );
}
