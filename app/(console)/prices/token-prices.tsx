import { SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { useInstallation } from "../_components/installation";
import { useAmount } from "../_components/use-amount";
import { type FieldsProps, helpBelow } from "./draft-field";
import { priceProblem } from "./draft-problems";
import { isNeeded, type ModelDraft, type PriceField, pricesOf, withFree } from "./model-draft";

/** The price that an empty cache field stands for, in words; null: the operator has to fill it in. */
function useInheritance(draft: ModelDraft) {
  const t = useTranslations("prices");
  const amount = useAmount();
  const shown = (text: string) =>
    text.trim() === "" || priceProblem(text) !== null ? null : amount(text.trim());
  const input = shown(draft.inputPrice);
  const write = shown(draft.cacheWritePrice);
  const fromInput = {
    text: input === null ? t("inheritsInputEmpty") : t("inheritsInput", { price: input }),
    hint: t("inheritHint"),
  };
  const price = write ?? input;
  const fromWrite = {
    text: price === null ? t("inheritsWriteEmpty") : t("inheritsWrite", { price }),
    hint: t("inheritWriteHint"),
  };
  const inheritance: Record<PriceField, { text: string; hint: string } | null> = {
    inputPrice: null,
    outputPrice: null,
    cacheReadPrice: fromInput,
    cacheWritePrice: fromInput,
    cacheWrite1hPrice: fromWrite,
  };
  return inheritance;
}

/** Prices by class. */
export function TokenPrices({ draft, onChange, problems }: FieldsProps) {
  const t = useTranslations("prices");
  const { currency } = useInstallation();
  const inheritance = useInheritance(draft);
  return (
    <Card title={t("tokenPrices")} text={t("tokenPricesHint", { currency })}>
      <Switch
        label={t("free")}
        description={t("freeHint")}
        checked={draft.isFree}
        onChange={(event) => onChange(withFree(draft, event.currentTarget.checked))}
      />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
        {pricesOf(draft.kind).map((field) => {
          const problem = problems.prices[field];
          return (
            <TextInput
              key={field}
              label={t(field)}
              required={isNeeded(draft.kind, field)}
              placeholder={inheritance[field]?.text}
              description={inheritance[field]?.hint}
              inputWrapperOrder={helpBelow}
              inputMode="decimal"
              autoComplete="off"
              maxLength={30}
              disabled={draft.isFree}
              value={draft[field]}
              error={problem && t(`problems.${problem}`)}
              onChange={(event) => onChange({ ...draft, [field]: event.currentTarget.value })}
            />
          );
        })}
      </SimpleGrid>
    </Card>
  );
}
