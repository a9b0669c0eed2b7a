import { SimpleGrid, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useInstallation } from "../_components/text/installation";
import type { KeyDraft } from "./key-draft";

const rates = ["perMinute", "atOnce"] as const;
const caps = ["dailyCap", "weeklyCap", "cap"] as const;

/** The names of the fields. */
export const limits = [...rates, ...caps] as const;

type Props = {
  draft: KeyDraft;
  /** A field's problem in words. */
  problem: (field: keyof KeyDraft) => string | undefined;
  onChange: (draft: KeyDraft) => void;
};

/** How many requests a key may make, and how much it may spend. */
export function KeyLimitFields({ draft, problem, onChange }: Props) {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  const { currency } = useInstallation();
  const field = (name: (typeof limits)[number]) => ({
    label: t(name),
    description: t(`${name}Hint`),
    placeholder: common("noLimit"),
    autoComplete: "off",
    value: draft[name],
    error: problem(name),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onChange({ ...draft, [name]: currentTarget.value }),
  });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} className="ends-even">
        {rates.map((name) => (
          <TextInput key={name} inputMode="numeric" {...field(name)} />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }} className="ends-even">
        {caps.map((name) => (
          <TextInput
            key={name}
            inputMode="decimal"
            rightSection={currency}
            rightSectionWidth={52}
            {...field(name)}
          />
        ))}
      </SimpleGrid>
    </>
  );
}
