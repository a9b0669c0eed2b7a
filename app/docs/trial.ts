/** Runs a curl command of the documentation in the browser, at this server. */

type Request = {
  path: string;
  method: "GET" | "POST";
  headers: [string, string][];
  body: string | null;
};
export type Answer = { status: number; text: string; ms: number };

/** The request of one curl command with a JSON body or none. null: another command, or an address without its end. */
export function requestOf(code: string): Request | null {
  const line = code.replaceAll("\\\n", " ").trim();
  const [, address = ""] = /^curl '?(https?:\/\/[^\s'"]+)/.exec(line) ?? [];
  if (line.split("\n").length > 1 || !URL.canParse(address) || address.includes("…")) {
    return null;
  }
  const { pathname, search } = new URL(address);
  const headers = [...line.matchAll(/-H "([\w-]+): ([^"]*)"/g)].map(
    ([, name = "", value = ""]): [string, string] => [name, value],
  );
  const [, body = null] = /-d '([^']*)'/.exec(line) ?? [];
  return { path: pathname + search, method: body === null ? "GET" : "POST", headers, body };
}

function printed(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Rejects if there is no answer. */
export async function send({ path, method, headers, body }: Request): Promise<Answer> {
  const begin = performance.now();
  const answer = await fetch(path, { method, headers, body });
  const text = await answer.text();
  return { status: answer.status, text: printed(text), ms: Math.round(performance.now() - begin) };
}
