/** Examples with the reader's API key in them. */

/** The form of a key. Pages insert no other text: it could turn an example into another program. */
const isKey = (text: string) => /^sk-[\w-]+$/.test(text);

/** Ways to read the key from the environment. */
const readings: Record<string, RegExp> = {
  sh: /\$TOLLGATE_KEY|(?<=^export TOLLGATE_KEY=)\S+/gm,
  python: /os\.environ\["TOLLGATE_KEY"\]/g,
  ts: /process\.env\.TOLLGATE_KEY/g,
  json: /sk-\.\.\.(?=")/g,
  go: /os\.Getenv\("TOLLGATE_KEY"\)/g,
};

/** Whether an example uses the reader's key. */
export const usesKey = (code: string, language: string): boolean =>
  readings[language] !== undefined && code.search(readings[language]) !== -1;

/** The example with the key in it, so that it runs as it is. */
export function withKey(code: string, language: string, typed: string): string {
  if (!isKey(typed) || !usesKey(code, language)) {
    return code;
  }
  const text = ["sh", "json"].includes(language) ? typed : JSON.stringify(typed);
  const filled = code.replaceAll(readings[language] ?? "", text);
  // Go compiles no unused import.
  return language === "go" && !/\bos\.\w/.test(filled) ? filled.replace('\t"os"\n', "") : filled;
}
