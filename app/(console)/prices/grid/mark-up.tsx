import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { parseFactor } from "@/server/domain/factor";
import { ChoiceSelect } from "../../_components/fields/choice-select";
import { useInstallation } from "../../_components/text/installation";
import type { GridRow } from "../catalog";
import { type Basis, bases, foreignOf, type MarkUpTerms } from "./grid-draft";

const allDecimals = ["2", "3", "4", "9"] as const;
type Decimals = (typeof allDecimals)[number];

type Props = { rows: readonly GridRow[]; onApply: (terms: MarkUpTerms) => void };

/** Sets the selected prices by a factor. */
export function MarkUp({ rows, onApply }: Props) {
  const t = useTranslations("prices");
  const { currency: own } = useInstallation();
  const [basis, setBasis] = useState<Basis>("list");
  const [factor, setFactor] = useState("1.2");
  const [rates, setRates] = useState<Record<string, string>>({});
  const [decimals, setDecimals] = useState<Decimals>("2");
  const foreign = foreignOf(rows, { basis, own });
  const texts = { inputMode: "decimal", autoComplete: "off", maxLength: 20 } as const;
  const isReady =
    rows.length > 0 &&
    parseFactor(factor) !== null &&
    foreign.every((currency) => parseFactor(rates[currency] ?? "") !== null);
  return (
    <Group role="group" aria-label={t("gridTerms")} align="flex-end" gap="sm" me="auto">
      <ChoiceSelect
        w={140}
        label={t("gridBasis")}
        choices={bases}
        nameOf={(each) => t(`gridBases.${each}`)}
        value={basis}
        onChange={(each) => each !== null && setBasis(each)}
      />
      <TextInput
        {...texts}
        w={110}
        label={t("gridFactor")}
        value={factor}
        onChange={({ currentTarget }) => setFactor(currentTarget.value)}
      />
      {foreign.map((currency) => (
        <TextInput
          {...texts}
          key={currency}
          w={140}
          label={t("importRate", { currency, own })}
          value={rates[currency] ?? ""}
          onChange={({ currentTarget }) => setRates({ ...rates, [currency]: currentTarget.value })}
        />
      ))}
      <ChoiceSelect
        w={100}
        label={t("importDecimals")}
        choices={allDecimals}
        nameOf={(each) => (each === "9" ? t("importAllDecimals") : each)}
        value={decimals}
        onChange={(each) => each !== null && setDecimals(each)}
      />
      <Button
        variant="default"
        disabled={!isReady}
        onClick={() => onApply({ basis, factor, rates, own, decimals: Number(decimals) })}
      >
        {t("gridApply", { count: rows.length })}
      </Button>
    </Group>
  );
}
