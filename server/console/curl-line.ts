/** One word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A call that works when pasted, once TOLLGATE_KEY holds an API key. */
export function curlLine(baseUrl: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "你好" }] });
  return [
    `curl ${quote(`${baseUrl}/chat/completions`)}`,
    `-H "Authorization: Bearer $TOLLGATE_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quote(body)}`,
  ].join(" \\\n  ");
}
