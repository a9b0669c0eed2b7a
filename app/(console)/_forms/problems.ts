/** Whether anything is wrong with a draft. Of a field with rows or parts, its problems are a map or an object. */
export const hasProblems = (problems: object): boolean =>
  Object.values(problems).some((problem) => {
    if (problem instanceof Map) {
      return problem.size > 0;
    }
    return typeof problem === "object" ? hasProblems(problem) : problem !== undefined;
  });
