import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { SearchedSelect } from "../../_components/fields/searched-select";
import { optionalQuery } from "../../_components/shell/stale-note";
import { Dimmed } from "../../_components/tables/dimmed";
import { AddRow, RemoveRow } from "../../_forms/row-buttons";
import { type FactorRow, type GroupProblems, MOST_ROWS, newRow } from "./group-draft";

type Problem = GroupProblems["models"] extends Map<number, infer Name> ? Name : never;

/** The number of models offered at once; typing finds the others in a long catalog. */
const MOST_OFFERED = 50;

type FactorRowProps = {
  row: FactorRow;
  number: number;
  /** The name of every model by identifier: a model's identifier is its name. */
  names: ReadonlyMap<string, string>;
  problem: Problem | undefined;
  onChange: (row: FactorRow) => void;
  onRemove: () => void;
};

function Row({ row, number, names, problem, onChange, onRemove }: FactorRowProps) {
  const t = useTranslations("priceGroups");
  const isOfFactor = problem === "factorWrong";
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <SearchedSelect
        className="grow"
        aria-label={t("modelOf", { number })}
        placeholder={t("modelPlaceholder")}
        nothingFoundMessage={t("noSuchModel")}
        limit={MOST_OFFERED}
        names={names}
        value={row.modelId}
        error={problem && !isOfFactor && t(problem)}
        onChange={(modelId) => onChange({ ...row, modelId })}
      />
      <TextInput
        flex="0 0 6rem"
        aria-label={t("factorOf", { number })}
        placeholder={t("factor")}
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
        value={row.factor}
        error={isOfFactor && t(problem)}
        onChange={({ currentTarget }) => onChange({ ...row, factor: currentTarget.value })}
      />
      <RemoveRow
        to="prices.write"
        label={t("removeRow", { name: row.modelId ?? String(number) })}
        onClick={onRemove}
      />
    </Group>
  );
}

type Props = {
  rows: FactorRow[];
  problems: GroupProblems["models"];
  onChange: (rows: FactorRow[]) => void;
};

/** Models with their own factor, which replaces the group's. */
export function FactorRows({ rows, problems, onChange }: Props) {
  const t = useTranslations("priceGroups");
  const addButton = useRef<HTMLButtonElement>(null);
  const { data } = useQuery(useTRPC().prices.list.queryOptions({}, optionalQuery));
  const names = new Map((data?.models ?? []).map(({ id }) => [id, id]));
  return (
    <fieldset className="bare">
      <Text component="legend" size="sm" fw={600}>
        {t("ownFactors")}
      </Text>
      <Stack gap="xs">
        <Dimmed>{t("ownFactorsHint")}</Dimmed>
        {rows.map((row, index) => (
          <Row
            key={row.key}
            row={row}
            number={index + 1}
            names={names}
            problem={problems.get(row.key)}
            onChange={(changed) => onChange(rows.map((other) => (other === row ? changed : other)))}
            onRemove={() => {
              onChange(rows.filter((other) => other !== row));
              addButton.current?.focus();
            }}
          />
        ))}
        <AddRow
          to="prices.write"
          ref={addButton}
          disabled={rows.length >= MOST_ROWS}
          onClick={() => onChange([...rows, newRow(rows)])}
        >
          {t("addRow")}
        </AddRow>
      </Stack>
    </fieldset>
  );
}
