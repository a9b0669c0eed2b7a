import type { JsonObject } from "../fields";

const withPart = (type: string, text: string): JsonObject[] => [
  type === "output_text" ? { type, text, annotations: [] } : { type, text },
];

/**
 * An item in the form in which conversations list it: clients' decoders require a type, a status and a list of parts,
 * which the sender may leave out.
 */
export function listedItem(item: JsonObject): JsonObject {
  const isMessage = item.type === "message" || (item.type === undefined && item.role !== undefined);
  if (!isMessage) {
    return item;
  }
  const { content, role } = item;
  const parts =
    typeof content === "string"
      ? withPart(role === "assistant" ? "output_text" : "input_text", content)
      : content;
  return { ...item, type: "message", status: item.status ?? "completed", content: parts };
}
