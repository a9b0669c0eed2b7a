import { Select, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { BaseUrlField, DialectSelect, order } from "./address-fields";
import type { ChannelChoices } from "./channel";
import { type ChannelDraft, type ChannelProblems, withVendor } from "./channel-draft";

export type FieldsProps = {
  draft: ChannelDraft;
  onChange: (draft: ChannelDraft) => void;
  /** The problems to show. */
  problems: ChannelProblems;
};

type Props = FieldsProps & { vendors: ChannelChoices["vendors"]; isNew: boolean };

const hintOf = (dialect: ChannelDraft["dialect"]) =>
  dialect === "openai" || dialect === "openai-responses" || dialect === "anthropic" || dialect === "gemini"
    ? dialect
    : "other";

function VendorField({ draft, onChange, vendors, isNew }: Omit<Props, "problems">) {
  const t = useTranslations("channels");
  const offered = vendors.filter(({ dialect }) => isNew || dialect === draft.dialect);
  const options = offered.map(({ id, name }) => ({ value: id, label: name }));
  const isStrange = draft.vendor !== "" && !offered.some(({ id }) => id === draft.vendor);
  return (
    <Select
      label={t("vendor")}
      description={t("vendorHint")}
      inputWrapperOrder={order}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t("vendorNoMatch")}
      data={[
        { value: "", label: t("vendorNone") },
        ...options,
        // A vendor of a later release, if the database was used with that release before.
        ...(isStrange ? [{ value: draft.vendor, label: draft.vendor }] : []),
      ]}
      value={draft.vendor}
      onChange={(id) => {
        const vendor = vendors.find((candidate) => candidate.id === id) ?? null;
        onChange(isNew ? withVendor(draft, vendor) : { ...draft, vendor: id ?? "" });
      }}
    />
  );
}

function DialectField({ draft, onChange, isNew }: Omit<Props, "problems" | "vendors">) {
  const t = useTranslations("channels");
  if (!isNew || draft.vendor !== "") {
    return (
      <TextInput
        label={t("dialect")}
        description={t(isNew ? "dialectOfVendor" : "dialectFixed")}
        inputWrapperOrder={order}
        readOnly
        variant="filled"
        value={t(`dialects.${draft.dialect}`)}
      />
    );
  }
  return <DialectSelect value={draft.dialect} onChange={(dialect) => onChange({ ...draft, dialect })} />;
}

/** The upstream's vendor, dialect and address. */
export function EndpointFields({ draft, onChange, problems, vendors, isNew }: Props) {
  const t = useTranslations("channels");
  const isSandbox = draft.dialect === "sandbox";
  return (
    <Card title={t("settings")}>
      <TextInput
        label={t("nameField")}
        description={t("nameHint")}
        required
        maxLength={120}
        autoComplete="off"
        value={draft.name}
        error={problems.name && t(`problems.${problems.name}`)}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
      />
      {!isSandbox && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <VendorField draft={draft} onChange={onChange} vendors={vendors} isNew={isNew} />
          <DialectField draft={draft} onChange={onChange} isNew={isNew} />
        </SimpleGrid>
      )}
      {!isSandbox && (
        <BaseUrlField
          hint={t(`baseUrlHint.${hintOf(draft.dialect)}`)}
          value={draft.baseUrl}
          error={problems.baseUrl ? t(`problems.${problems.baseUrl}`) : false}
          onChange={(baseUrl) => onChange({ ...draft, baseUrl })}
        />
      )}
    </Card>
  );
}
