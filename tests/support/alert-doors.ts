import type { Caller, Door } from "./code-doors";

/** What is done with alerts by e-mail, by every door. */
export const alertSteps = (operator: () => Caller): Record<string, Door> => ({
  "alert.set": {
    console: ({ userId }) =>
      operator().installationAlerts.set({ userId, events: ["video.failed"], language: "en" }),
    command: ({ name }) => `alert set --email operator@${name}.test --event video.failed --language en`,
    admin: ({ userId }) => [`PATCH /alerts/${userId}`, { events: ["video.failed"], language: "en" }],
  },
  "alert.test": {
    console: ({ userId }) => operator().installationAlerts.test({ userId }),
    command: ({ name }) => `alert test --email operator@${name}.test`,
    admin: ({ userId }) => [`POST /alerts/${userId}/tests`, {}],
  },
});
