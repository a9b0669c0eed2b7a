import { TextInput } from "@mantine/core";
import { type KeyboardEvent, memo } from "react";
import { useTranslations } from "use-intl";
import { priceProblem } from "../draft-problems";

type Props = {
  /** The row's identifier. */
  id: string;
  label: string;
  text: string;
  isChanged: boolean;
  /** The price that an empty field takes; empty: none. */
  follows: string;
  onType: (id: string, text: string) => void;
};

/** Arrow keys move from price to price, as in a spreadsheet. */
function moveAmongPrices(event: KeyboardEvent<HTMLInputElement>) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const form = event.currentTarget.form;
  if (step === undefined || form === null) {
    return;
  }
  const prices = [...form.querySelectorAll<HTMLInputElement>("input[data-price]")];
  const next = prices[prices.indexOf(event.currentTarget) + step];
  if (next) {
    event.preventDefault();
    next.focus();
    next.select();
  }
}

/** Memoized: among hundreds of prices only the edited one renders again. */
export const PriceField = memo(({ id, label, text, isChanged, follows, onType }: Props) => {
  const t = useTranslations("prices");
  const problem = priceProblem(text);
  return (
    <TextInput
      size="xs"
      w={118}
      ml="auto"
      styles={{ input: { textAlign: "end", ...(isChanged && { fontWeight: 700 }) } }}
      data-price
      inputMode="decimal"
      autoComplete="off"
      maxLength={30}
      aria-label={label}
      placeholder={follows && t("gridFollows", { price: follows })}
      value={text}
      error={problem && t(`problems.${problem}`)}
      onKeyDown={moveAmongPrices}
      onChange={({ currentTarget }) => onType(id, currentTarget.value)}
    />
  );
});
