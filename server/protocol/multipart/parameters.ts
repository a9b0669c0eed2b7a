/** A header's value and its parameters, such as `form-data; name=file; filename="a b.mp3"`. */
type Parametrised = { value: string; parameters: Map<string, string> };

/**
 * A quoted text may not have a backslash before its closing quote: half of all parsers would read that quote as part of
 * the text, and the rest as another parameter.
 */
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\r\n]*[^"\\\r\n])?)"|([^\s";]+))[ \t]*/y;

/** Names in lower case. null: the text is invalid, or repeats a name. */
export function readParameters(text: string): Parametrised | null {
  const [value = ""] = text.split(";", 1);
  const rest = text.slice(value.length).replace(/;?[ \t]*$/, "");
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  for (let at = 0; at < rest.length; at = PARAMETER.lastIndex) {
    const [, name = "", quoted, plain = ""] = PARAMETER.exec(rest) ?? [];
    if (name === "" || parameters.has(name.toLowerCase())) {
      return null;
    }
    parameters.set(name.toLowerCase(), quoted ?? plain);
  }
  return { value: value.trim().toLowerCase(), parameters };
}
