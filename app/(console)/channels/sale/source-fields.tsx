import { Button, Select, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { takesPairs } from "@/server/domain/key-pairs";
import { BaseUrlField, DialectSelect, order } from "../address-fields";
import type { ChannelChoices } from "../channel";
import { type SourceDraft, type SourceProblems, withPreset, withSecret } from "./source-draft";

type Props = {
  draft: SourceDraft;
  problems: SourceProblems;
  vendors: ChannelChoices["vendors"];
  onChange: (draft: SourceDraft) => void;
};

/** The address, for a vendor that has none, an upstream without a preset, or a proxy. */
function AddressFields({ draft, problems, onChange }: Omit<Props, "vendors">) {
  const t = useTranslations("channels");
  return (
    <SimpleGrid cols={{ base: 1, sm: draft.vendor === "" ? 2 : 1 }}>
      {draft.vendor === "" && (
        <DialectSelect value={draft.dialect} onChange={(dialect) => onChange({ ...draft, dialect })} />
      )}
      <BaseUrlField
        value={draft.baseUrl}
        error={problems.baseUrl === "baseUrl" && t("problems.baseUrl")}
        onChange={(baseUrl) => onChange({ ...draft, baseUrl })}
      />
    </SimpleGrid>
  );
}

/** A key and its vendor. */
export function SourceFields({ draft, problems, vendors, onChange }: Props) {
  const t = useTranslations("sale");
  const channels = useTranslations("channels");
  const preset = vendors.find(({ id }) => id === draft.vendor);
  const needsAddress = preset
    ? preset.baseUrl === null
    : problems.baseUrl !== "vendorMissing" && draft.isElsewhere;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {/* Not a password field: browsers would offer to store it as a password of this site. */}
        <TextInput
          label={t("key")}
          description={t("keyHint")}
          inputWrapperOrder={order}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={4_200}
          placeholder={channels(
            takesPairs(draft.dialect) ? "credentialPairPlaceholder" : "credentialPlaceholder",
          )}
          value={draft.secret}
          error={
            problems.secret &&
            (problems.secret === "secretMissing" ? t("keyMissing") : channels(`problems.${problems.secret}`))
          }
          onChange={({ currentTarget }) => onChange(withSecret(draft, currentTarget.value, vendors))}
        />
        <Select
          label={channels("vendor")}
          description={t("vendorHint")}
          inputWrapperOrder={order}
          required
          searchable
          allowDeselect={false}
          nothingFoundMessage={channels("vendorNoMatch")}
          placeholder={t("vendorPlaceholder")}
          data={[
            ...vendors.map(({ id, name }) => ({ value: id, label: name })),
            { value: "", label: channels("vendorNone") },
          ]}
          value={draft.vendor === "" && !draft.isElsewhere ? null : draft.vendor}
          error={problems.baseUrl === "vendorMissing" && t("vendorMissing")}
          onChange={(id) => {
            const vendor = vendors.find((each) => each.id === id) ?? null;
            onChange({ ...withPreset(draft, vendor), isElsewhere: vendor === null });
          }}
        />
      </SimpleGrid>
      {needsAddress || draft.isElsewhere ? (
        <AddressFields {...{ draft, problems, onChange }} />
      ) : (
        preset && (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: "flex-start" }}
            onClick={() => onChange({ ...draft, isElsewhere: true })}
          >
            {t("addressChange", { address: new URL(draft.baseUrl).host })}
          </Button>
        )
      )}
    </>
  );
}
