/** The specification fixes the text of these errors. Their English text, which SDKs show, also gives the reason. */

/** Why no upstream answered, or why an answer broke off. "": several reasons, or one without its own sentence. */
export type UpstreamReason = "limited" | "broken" | "silent" | "";

/** Returns the sentence of each reason, by the detail of an error. Other details have no reason. */
const byReason = (sentences: Record<UpstreamReason, string>) => (why: string) =>
  sentences[Object.hasOwn(sentences, why) ? (why as UpstreamReason) : ""];

export const whyUnavailable = byReason({
  limited: "The upstream's own rate limit is reached: try again later",
  broken: "No connection to the upstream came about, or it broke off before the answer was whole",
  silent: "The upstream did not answer in time",
  "": "No upstream channel can serve the call now",
});

export const whyMalformed = byReason({
  limited: "The upstream's own rate limit ended the answer before it was whole",
  broken: "The connection to the upstream broke off before the answer was whole",
  silent: "The upstream fell silent before the answer was whole",
  "": "The upstream's answer could not be read",
});
