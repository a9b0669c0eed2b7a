/** Whether a draft has problems. The problems of a field with rows or parts are a map or an object. */
export const hasProblems = (problems: object): boolean =>
  Object.values(problems).some((problem) => {
    if (problem instanceof Map) {
      return problem.size > 0;
    }
    return typeof problem === "object" ? hasProblems(problem) : problem !== undefined;
  });
