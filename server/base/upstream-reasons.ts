/** The specification fixes the text of these errors. Their English text, which SDKs show, also gives the reason. */

/** Why no upstream answered, or why an answer broke off. "": several reasons, or one without its own sentence. */
export type UpstreamReason = "limited" | "broken" | "silent" | "";

/** Returns the sentence of each reason, by the detail of an error. Other details have no reason. */
const byReason = (sentences: Record<UpstreamReason, string>) => (why: string) =>
  sentences[Object.hasOwn(sentences, why) ? (why as UpstreamReason) : ""];

export const whyUnavailable = byReason({
  limited: "The upstream's own rate limit is reached: try again later",
  broken: "The connection to the upstream failed, or was lost before the response was complete",
  silent: "The upstream did not respond in time",
  "": "No upstream channel can serve the request right now",
});

export const whyMalformed = byReason({
  limited: "The upstream's own rate limit ended the response before it was complete",
  broken: "The connection to the upstream was lost before the response was complete",
  silent: "The upstream stopped sending before the response was complete",
  "": "The upstream's response could not be read",
});
