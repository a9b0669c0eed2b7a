import { SimpleGrid } from "@mantine/core";
import { useTranslations } from "use-intl";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { AccountSelect } from "../_components/fields/lazy-selects";
import { SpanFields } from "../_components/fields/span-fields";
import { groupsOf, type UsageParameters, type UsageSide } from "./usage-filter";

type Props = {
  side: UsageSide;
  parameters: UsageParameters;
  onChange: (change: Partial<{ [Name in keyof UsageParameters]: UsageParameters[Name] | null }>) => unknown;
};

/** Fields for the span, the grouping and the account. */
export function UsageFilters({ side, parameters, onChange }: Props) {
  const t = useTranslations("usage");
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" role="search">
      <SpanFields parameters={parameters} onChange={onChange} />
      <ChoiceSelect
        label={t("by")}
        choices={groupsOf(side)}
        nameOf={(choice) => t(`groups.${choice}`)}
        value={parameters.by}
        onChange={(by) => void onChange({ by })}
      />
      {side === "operator" && (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
    </SimpleGrid>
  );
}
