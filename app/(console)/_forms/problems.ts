/** Whether a draft has problems. The problems of a field with rows or parts are a map or an object. */
export const hasProblems = (problems: object): boolean =>
  Object.values(problems).some((problem) => {
    if (problem instanceof Map) {
      return problem.size > 0;
    }
    return typeof problem === "object" ? hasProblems(problem) : problem !== undefined;
  });

/** The check of each value that has one: its problem in words; null: none. */
export type Checks<Values> = { [Name in keyof Values]?: (value: Values[Name]) => string | null };

/** The problems that checks find. */
export function problemsBy<Values>(
  checks: Checks<Values>,
  values: Values,
): Partial<Record<keyof Values, string>> {
  const problems: Partial<Record<keyof Values, string>> = {};
  for (const name in checks) {
    const problem = checks[name]?.(values[name]) ?? null;
    if (problem !== null) {
      problems[name] = problem;
    }
  }
  return problems;
}
