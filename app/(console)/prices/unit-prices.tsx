import { ActionIcon, Autocomplete, Button, Group, SimpleGrid, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { countPerPrice, unitNames } from "@/server/domain/units";
import { Card } from "../_components/cards/card";
import { useInstallation } from "../_components/text/installation";
import { Fold } from "../_forms/fold";
import { type FieldsProps, helpBelow } from "./draft-field";
import type { UnitRow } from "./model-draft";

type UnitRowProps = Pick<FieldsProps, "problems"> & {
  row: UnitRow;
  isFree: boolean;
  /** null: removes the row. */
  onRow: (row: UnitRow | null) => void;
};

function Row({ row, problems, isFree, onRow }: UnitRowProps) {
  const t = useTranslations("prices");
  const problem = problems.unitPrices.get(row.key);
  const isOfUnit = problem === "unit" || problem === "unitTwice";
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap">
      <Autocomplete
        label={t("unit")}
        data={unitNames}
        maxLength={64}
        className="grow"
        disabled={isFree}
        value={row.unit}
        error={problem && isOfUnit && t(`problems.${problem}`)}
        onChange={(unit) => onRow({ ...row, unit })}
      />
      <TextInput
        label={t("unitPrice")}
        inputMode="decimal"
        autoComplete="off"
        maxLength={30}
        disabled={isFree}
        value={row.price}
        description={t("unitPer", { count: countPerPrice(row.unit.trim()) })}
        inputWrapperOrder={helpBelow}
        error={problem && !isOfUnit && t(`problems.${problem}`)}
        onChange={(event) => onRow({ ...row, price: event.currentTarget.value })}
      />
      <ActionIcon
        variant="subtle"
        mt={26}
        size="lg"
        aria-label={t("removeUnit", { unit: row.unit })}
        onClick={() => onRow(null)}
      >
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

/** Names of prices that take more than a unit, each with what it means. */
const examples = {
  size: "image:1024x1024:high",
  length: "input@200k",
  tier: "output@priority",
  hours: "input@16:30-00:30",
} as const;

function Examples() {
  const t = useTranslations("prices");
  const names = Object.keys(examples) as (keyof typeof examples)[];
  return (
    <Fold title={t("unitExamplesTitle")} hint={t("unitExamplesHint")} isSet={false} isWrong={false}>
      <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={4}>
        {names.map((name) => (
          <Text key={name} component="div" size="sm">
            <dt>
              <code>{examples[name]}</code>
            </dt>
            <Text component="dd" size="sm" c="dimmed" m={0}>
              {t(`unitExamples.${name}`)}
            </Text>
          </Text>
        ))}
      </SimpleGrid>
    </Fold>
  );
}

/** Prices of units other than text tokens. */
export function UnitPrices({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("prices");
  const { currency } = useInstallation();
  const { unitPrices: rows } = draft;
  const change = (unitPrices: UnitRow[]) => onChange({ ...draft, unitPrices });
  const added = () => ({ key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, unit: "", price: "" });
  return (
    <Card title={t("unitPrices")} text={t("unitPricesHint", { currency })}>
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          problems={problems}
          isFree={draft.isFree}
          onRow={(changed) => change(rows.flatMap((each) => (each === row ? (changed ?? []) : each)))}
        />
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={draft.isFree}
          onClick={() => change([...rows, added()])}
        >
          {t("addUnit")}
        </Button>
      </Group>
      <Examples />
    </Card>
  );
}
