import { SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { type EachClass, eachPrice, type TokenClass, tokenClasses } from "@/server/pricing";
import { Card } from "../_components/cards/card";
import { useInstallation } from "../_components/text/installation";
import { useAmount } from "../_components/text/use-amount";
import type { FieldsProps } from "./draft-field";
import { priceProblem } from "./draft-problems";
import { isNeeded, type ModelDraft, pricesOf, withFree } from "./model-draft";

/** The price that an empty cache field stands for, in words; null: the operator has to fill it in. */
function useInheritance(draft: ModelDraft) {
  const t = useTranslations("prices");
  const amount = useAmount();
  const shownOf = (name: TokenClass): string | null => {
    const each = tokenClasses.find((one) => one.name === name);
    const text = each ? draft[`${each.field}Price`].trim() : "";
    if (text !== "" && priceProblem(text) === null) {
      return amount(text);
    }
    return each?.follows ? shownOf(each.follows) : null;
  };
  const inheritanceOf = ({ follows }: EachClass) => {
    if (follows === null) {
      return null;
    }
    const price = shownOf(follows);
    if (follows === "input") {
      return price === null ? t("inheritsInputEmpty") : t("inheritsInput", { price });
    }
    return price === null ? t("inheritsWriteEmpty") : t("inheritsWrite", { price });
  };
  return eachPrice(inheritanceOf, inheritanceOf);
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
              placeholder={inheritance[field] ?? undefined}
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
