import type { ChangeEvent } from "react";
import { type Checks, problemsBy } from "./problems";
import { useDraft } from "./use-draft";

/** A draft of single values, each with its check, for a `FormDialog`. `send` gets a draft without problems. */
export function useFields<Values extends Record<string, string>>(
  before: Values,
  { checks, send }: { checks: Checks<Values>; send: (values: Values) => void },
) {
  const { form, draft, problems, onChange } = useDraft<Values, Partial<Record<keyof Values, string>>>(
    before,
    {
      problemsOf: (values) => problemsBy(checks, values),
      none: {},
      send,
    },
  );
  return {
    form,
    values: draft,
    change: (changed: Partial<Values>) => onChange({ ...draft, ...changed }),
    /** The props of a text field. */
    field: (name: keyof Values & string) => ({
      value: draft[name],
      error: problems[name],
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
        onChange({ ...draft, [name]: currentTarget.value }),
    }),
  };
}
