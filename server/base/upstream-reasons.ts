/** The specification fixes what these errors say; what SDKs show in English says why, too. */

/** Why no upstream has answered, or not to the end. "": for several reasons, or one without words of its own. */
export type UpstreamReason = "limited" | "broken" | "silent" | "";

/** A sentence for each, by the detail of an error; any other detail is no reason of its own. */
const byReason = (said: Record<UpstreamReason, string>) => (why: string) =>
  said[Object.hasOwn(said, why) ? (why as UpstreamReason) : ""];

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
