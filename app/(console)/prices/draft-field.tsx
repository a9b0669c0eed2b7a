import { TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { ModelProblems } from "./draft-problems";
import type { ModelDraft } from "./model-draft";

export type FieldsProps = {
  draft: ModelDraft;
  onChange: (draft: ModelDraft) => void;
  /** The problems to show. */
  problems: ModelProblems;
};

/** Help stands below the field, so that neighbouring fields line up. */
export const helpBelow: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

type Props = FieldsProps & {
  name: "ownedBy" | "maxOutputTokens" | "hedgeAfterMs" | "contextWindow";
  description: string;
  maxLength: number;
  inputMode?: "numeric";
};

/** One typed member of the draft, with its name, its help and its problem. */
export function DraftField({ name, draft, onChange, problems, ...look }: Props) {
  const t = useTranslations("prices");
  const problem = problems[name];
  return (
    <TextInput
      {...look}
      label={t(name)}
      inputWrapperOrder={helpBelow}
      value={draft[name]}
      error={problem && t(`problems.${problem}`)}
      onChange={(event) => onChange({ ...draft, [name]: event.currentTarget.value })}
    />
  );
}
