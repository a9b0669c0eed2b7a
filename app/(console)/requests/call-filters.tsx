import { Button, SimpleGrid, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useTranslations } from "use-intl";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { IdFilter } from "../_components/fields/id-filter";
import {
  AccountSelect,
  AnyKeySelect,
  ChannelSelect,
  KeySelect,
  ModelFilter,
} from "../_components/fields/lazy-selects";
import { fromInput, toInput } from "../_components/fields/moment-input";
import { useMay } from "../_components/shell/viewer";
import { useInstallation } from "../_components/text/installation";
import type { RequestsSide } from "./call";
import { type CallParameters, callStatuses, chooseRange, noFilter, rangeOf, ranges } from "./call-filter";
import type { ChangeParameters } from "./use-calls";

type Props = { side: RequestsSide; parameters: CallParameters; onChange: ChangeParameters };

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
        nameOf={(choice) => t(`ranges.${choice}`)}
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
  const seesChannels = useMay("channels.read");
  const { endpointLabels } = useInstallation();
  const isFiltered = Object.keys(noFilter).some((name) => parameters[name as keyof typeof noFilter] !== null);
  return (
    <SimpleGrid
      cols={side === "owner" ? { base: 2, sm: 3, lg: 6 } : { base: 2, sm: 4 }}
      spacing="sm"
      role="search"
    >
      {side === "operator" && (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
      {seesChannels && (
        <ChannelSelect value={parameters.channel} onChange={(channel) => void onChange({ channel })} />
      )}
      {side === "owner" ? (
        <KeySelect value={parameters.key} onChange={(key) => void onChange({ key })} />
      ) : (
        <AnyKeySelect
          accountId={parameters.account}
          value={parameters.key}
          onChange={(key) => void onChange({ key })}
        />
      )}
      <ModelFilter side={side} value={parameters.model} onChange={(model) => void onChange({ model })} />
      <ChoiceSelect
        label={t("endpoint")}
        any={t("anyEndpoint")}
        choices={Object.keys(endpointLabels)}
        nameOf={(endpoint) => endpointLabels[endpoint] ?? endpoint}
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
      <TimeFilter parameters={parameters} onChange={onChange} />
      <IdFilter
        label={t("id")}
        placeholder={t("idPlaceholder")}
        value={parameters.id}
        onChange={(id) => void onChange({ id })}
      />
      {isFiltered && (
        <Button variant="subtle" style={{ alignSelf: "end" }} onClick={() => void onChange(noFilter)}>
          {common("clearFilters")}
        </Button>
      )}
    </SimpleGrid>
  );
}
