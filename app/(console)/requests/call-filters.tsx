import { Button, SimpleGrid, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useTranslations } from "use-intl";
import { endpointNames, endpointPaths } from "@/server/base/facts";
import { ChoiceSelect } from "../_components/choice-select";
import { AccountSelect, KeySelect } from "../_components/lazy-selects";
import type { Side } from "./call";
import {
  type CallParameters,
  callStatuses,
  chooseRange,
  fromInput,
  noFilter,
  rangeOf,
  ranges,
  toInput,
} from "./call-filter";
import type { ChangeParameters } from "./use-calls";

type Props = { side: Side; parameters: CallParameters; onChange: ChangeParameters };

type TextMember = "key" | "model" | "id";

/** Identifiers are pasted, or come with a link: they count once they are whole. */
function TextFilter({ member, parameters, onChange }: Omit<Props, "side"> & { member: TextMember }) {
  const t = useTranslations("requests");
  const apply = (text: string) => void onChange({ [member]: text.trim() || null });
  return (
    <TextInput
      key={parameters[member]}
      label={t(member)}
      placeholder={t(`${member}Placeholder`)}
      maxLength={200}
      defaultValue={parameters[member] ?? ""}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && apply(currentTarget.value)}
    />
  );
}

function TimeFilter({ parameters, onChange }: Omit<Props, "side">) {
  const t = useTranslations("requests");
  const range = rangeOf(parameters);
  // The server does not know the reader's zone.
  const isMounted = useMounted();
  const moment = (member: "from" | "until") => (
    <TextInput
      key={`${member}.${range}.${isMounted}`}
      type="datetime-local"
      label={t(member)}
      defaultValue={isMounted ? toInput(parameters[member]) : ""}
      onBlur={({ currentTarget }) =>
        void onChange({ range: "custom", [member]: fromInput(currentTarget.value) })
      }
    />
  );
  return (
    <>
      <ChoiceSelect
        label={t("range")}
        any={t("ranges.all")}
        choices={ranges}
        nameOf={(one) => t(`ranges.${one}`)}
        value={range}
        onChange={(chosen) => void onChange(chooseRange(chosen, Date.now()))}
      />
      {range === "custom" && moment("from")}
      {range === "custom" && moment("until")}
    </>
  );
}

export function CallFilters({ side, parameters, onChange }: Props) {
  const t = useTranslations("requests");
  const common = useTranslations("common");
  const shared = { parameters, onChange };
  const isFiltered = Object.keys(noFilter).some((name) => parameters[name as keyof typeof noFilter] !== null);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" role="search">
      {side === "operator" && (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
      {side === "owner" ? (
        <KeySelect value={parameters.key} onChange={(key) => void onChange({ key })} />
      ) : (
        <TextFilter member="key" {...shared} />
      )}
      <TextFilter member="model" {...shared} />
      <ChoiceSelect
        label={t("endpoint")}
        any={t("anyEndpoint")}
        choices={endpointNames}
        nameOf={(endpoint) => endpointPaths[endpoint]}
        value={parameters.endpoint}
        onChange={(endpoint) => void onChange({ endpoint })}
      />
      <ChoiceSelect
        label={t("status")}
        any={t("anyStatus")}
        choices={callStatuses}
        nameOf={(status) => t(status)}
        value={parameters.status}
        onChange={(status) => void onChange({ status })}
      />
      <TimeFilter {...shared} />
      <TextFilter member="id" {...shared} />
      {isFiltered && (
        <Button variant="subtle" style={{ alignSelf: "end" }} onClick={() => void onChange(noFilter)}>
          {common("clearFilters")}
        </Button>
      )}
    </SimpleGrid>
  );
}
