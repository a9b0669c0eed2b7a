/**
 * Rewords an upstream's error for a too long prompt in the messages dialect's words: Claude Code shortens its history
 * when it reads them, and gives up on any others (claude-code-router#1799).
 */

const anthropicForm = /prompt is too long|exceed context limit/i;
const overflowForms =
  /maximum context length|context[_ ](?:length|window)|too many (?:prompt |input )?tokens|(?:messages|prompt|input) (?:is|are) too long|input tokens exceed|input token count|range of input length/i;

/** Bounded: with a long run of digits, the pattern would start at each of them and read to the end. */
const figure = String.raw`(\d[\d,]{0,15})`;
const limits = [
  new RegExp(`maximum context length (?:is|of) ${figure}`, "i"),
  new RegExp(`limit of ${figure} tokens`, "i"),
  // Google's words.
  new RegExp(`maximum number of tokens allowed \\(?${figure}`, "i"),
  new RegExp(`context (?:window|length|size) (?:is|of) (?:only )?${figure}`, "i"),
];
const prompts = [
  new RegExp(`input token count (?:of )?\\(?${figure}`, "i"),
  new RegExp(`messages resulted in ${figure} tokens`, "i"),
  new RegExp(`${figure} (?:tokens )?(?:in|from) the (?:messages|input|prompt)`, "i"),
  new RegExp(`(?:prompt|input) (?:contains|has|of)(?: at least)? ${figure}`, "i"),
  new RegExp(`requested(?: about)? ${figure} tokens`, "i"),
];
const completion = new RegExp(`${figure} (?:tokens )?(?:in|for) the completion`, "i");

const find = (patterns: RegExp[], words: string): number | null => {
  const [, digits] = patterns.map((pattern) => pattern.exec(words)).find((match) => match !== null) ?? [];
  return digits === undefined ? null : Number(digits.replaceAll(",", ""));
};

/** Whether an upstream's error says that a prompt is too long. */
export const saysOverflow = (words: string): boolean =>
  anthropicForm.test(words) || overflowForms.test(words);

/** Returns other errors unchanged. */
export function toMessagesOverflow(words: string): string {
  if (anthropicForm.test(words) || !overflowForms.test(words)) {
    return words;
  }
  const limit = find(limits, words);
  const prompt = find(prompts, words);
  const output = find([completion], words);
  if (limit === null || prompt === null) {
    return `prompt is too long: ${words}`;
  }
  return output !== null && prompt <= limit
    ? `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`
    : `prompt is too long: ${prompt} tokens > ${limit} maximum`;
}
