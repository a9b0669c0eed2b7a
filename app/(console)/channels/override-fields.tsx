import { Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Stack } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { VendorApi } from "@/server/domain/enums";
import { Dimmed } from "../_components/tables/dimmed";
import { type CapabilityField, capabilityFields, type FieldName, withOverride } from "./capability-fields";
import type { ChannelDetail, Overrides } from "./channel";

type Props = {
  dialect: VendorApi;
  overrides: Overrides;
  /** The capabilities in force, including overrides. */
  inForce: ChannelDetail["models"][number]["inForce"];
  onChange: (overrides: Overrides) => void;
};

const MAX_NUMBER = 100_000_000;
const PRESET = "preset";
const CUSTOM = "custom";

type FieldProps<Kind extends CapabilityField["kind"]> = Omit<Props, "dialect"> & {
  field: Extract<CapabilityField, { kind: Kind }>;
};

/** A value in words. */
function useValueText(): (value: unknown) => string {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  return (value) => {
    if (typeof value === "boolean") {
      return common(value ? "yes" : "no");
    }
    if (Array.isArray(value)) {
      return value.length === 0 ? t("emptyValue") : value.join(", ");
    }
    return value === null ? t("nullValue") : String(value);
  };
}

/** The option that leaves a field to the preset, with the preset's value if known. */
function usePresetOption({ overrides, inForce }: Pick<Props, "overrides" | "inForce">, name: FieldName) {
  const t = useTranslations("channels");
  const textOf = useValueText();
  const value = Object.hasOwn(overrides, name) ? undefined : (inForce as Overrides)[name];
  const label = value === undefined ? t("asPreset") : t("asPresetValue", { value: textOf(value) });
  return { value: PRESET, label };
}

function ChoiceField({ field: { name, values }, ...props }: FieldProps<"choice">) {
  const t = useTranslations("channels");
  const textOf = useValueText();
  const { overrides, onChange } = props;
  const value = overrides[name];
  return (
    <NativeSelect
      size="xs"
      label={t(`capabilities.${name}`)}
      data={[
        usePresetOption(props, name),
        ...values.map((option) => ({ value: JSON.stringify(option), label: textOf(option) })),
      ]}
      value={value === undefined ? PRESET : JSON.stringify(value)}
      onChange={(event) => {
        const chosen = values.find((option) => JSON.stringify(option) === event.currentTarget.value);
        onChange(withOverride(overrides, name, chosen));
      }}
    />
  );
}

function NumberField({ field: { name, min }, ...props }: FieldProps<"number">) {
  const t = useTranslations("channels");
  const { overrides, onChange } = props;
  const label = t(`capabilities.${name}`);
  const value = overrides[name];
  const choices: Record<string, unknown> = { [PRESET]: undefined, null: null, [CUSTOM]: min };
  const set = (next: unknown) => onChange(withOverride(overrides, name, next));
  return (
    <Stack gap={4}>
      <NativeSelect
        size="xs"
        label={label}
        data={[
          usePresetOption(props, name),
          { value: "null", label: t("nullValue") },
          { value: CUSTOM, label: t("custom") },
        ]}
        value={Object.keys(choices).find((key) => choices[key] === value) ?? CUSTOM}
        onChange={(event) => set(choices[event.currentTarget.value])}
      />
      {typeof value === "number" && (
        <NumberInput
          size="xs"
          aria-label={t("numberOf", { field: label })}
          min={min}
          max={MAX_NUMBER}
          clampBehavior="strict"
          allowDecimal={false}
          allowNegative={false}
          value={value}
          onChange={(next) => set(Number(next) || min)}
        />
      )}
    </Stack>
  );
}

function ListField({ field: { name, values }, ...props }: FieldProps<"list">) {
  const t = useTranslations("channels");
  const { overrides, onChange } = props;
  const list: readonly string[] | undefined = overrides[name];
  const label = t(`capabilities.${name}`);
  return (
    <Stack gap={4}>
      <NativeSelect
        size="xs"
        label={label}
        data={[usePresetOption(props, name), { value: CUSTOM, label: t("customList") }]}
        value={list ? CUSTOM : PRESET}
        onChange={(event) =>
          onChange(withOverride(overrides, name, event.currentTarget.value === CUSTOM ? [] : undefined))
        }
      />
      {list && (
        <Checkbox.Group
          aria-label={label}
          value={[...list]}
          onChange={(chosen) =>
            onChange(
              withOverride(
                overrides,
                name,
                values.filter((value) => chosen.includes(value)),
              ),
            )
          }
        >
          <Group gap="xs">
            {values.map((value) => (
              <Checkbox key={value} size="xs" value={value} label={value} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

/** Overrides of a model's capabilities at a channel, which replace its preset's. */
export function OverrideFields({ dialect, ...props }: Props) {
  const t = useTranslations("channels");
  return (
    <Stack gap="sm">
      <Dimmed size="xs">{t("advancedHint")}</Dimmed>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
        {capabilityFields(dialect).map((field) => {
          if (field.kind === "choice") {
            return <ChoiceField key={field.name} field={field} {...props} />;
          }
          return field.kind === "number" ? (
            <NumberField key={field.name} field={field} {...props} />
          ) : (
            <ListField key={field.name} field={field} {...props} />
          );
        })}
      </SimpleGrid>
    </Stack>
  );
}
