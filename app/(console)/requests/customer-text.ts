/** A failed request as a text for the customer, in the reader's language. */
type Explained = {
  requestId: string;
  /** ISO 8601. */
  startedAt: string;
  modelId: string | null;
  happened: string;
  money: string;
  advice: string;
};

/** The names of the lines. */
type LineNames = Record<"id" | "time" | "model" | "happened" | "money" | "advice", string>;

const utc = (at: string) => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** A failed request as a plain text to send to the customer. It names no channel and no vendor. */
export const customerText = (call: Explained, names: LineNames): string =>
  [
    [names.id, call.requestId],
    [names.time, utc(call.startedAt)],
    ...(call.modelId === null ? [] : [[names.model, call.modelId]]),
    [names.happened, call.happened],
    [names.money, call.money],
    [names.advice, call.advice],
  ]
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
