import type { Caller, Door } from "./code-doors";

const endpoint = "https://doors.test/v1";

/** What an operator does with a channel until it is removed, by every door. */
export const channelSteps = (operator: () => Caller): Record<string, Door> => ({
  "channel.create": {
    console: ({ name }) =>
      operator().channels.create({
        name,
        dialect: "openai",
        vendor: null,
        baseUrl: endpoint,
        secrets: ["sk-doors-7f3a"],
        models: [{ modelId: name, upstreamName: "theirs", overrides: {} }],
        priority: 3,
        weight: 2,
        maxTasks: null,
        timeoutSeconds: null,
        idleTimeoutSeconds: null,
      }),
    command: ({ name }) =>
      `channel add --name ${name} --dialect openai --base-url ${endpoint} --secret sk-doors-7f3a ` +
      `--model ${name}=theirs --priority 3 --weight 2`,
    learn: (of, { id }) => {
      of.channelId = id;
    },
    admin: ({ name }) => [
      "POST /channels",
      {
        name,
        dialect: "openai",
        base_url: endpoint,
        secrets: ["sk-doors-7f3a"],
        models: [{ model_id: name, upstream_name: "theirs", overrides: {} }],
        priority: 3,
        weight: 2,
      },
    ],
  },
  "channel.update": {
    console: ({ channelId }) => operator().channels.update({ channelId, timeoutSeconds: 12 }),
    command: ({ name }) => `channel edit --channel ${name} --timeout 12`,
    admin: ({ channelId }) => [`PATCH /channels/${channelId}`, { timeout_seconds: 12 }],
  },
  "channel.disable": {
    console: ({ channelId }) => operator().channels.setEnabled({ channelId, isEnabled: false }),
    command: ({ name }) => `channel disable --channel ${name}`,
    admin: ({ channelId }) => [`PATCH /channels/${channelId}`, { is_enabled: false }],
  },
  "channel.enable": {
    console: ({ channelId }) => operator().channels.setEnabled({ channelId, isEnabled: true }),
    command: ({ channelId }) => `channel enable --channel ${channelId}`,
    admin: ({ channelId }) => [`PATCH /channels/${channelId}`, { is_enabled: true }],
  },
  "channel.move_off": {
    console: ({ channelId }) => operator().channels.setMovedOff({ channelId, isMovedOff: true }),
    command: ({ name }) => `channel move-off --channel ${name}`,
    admin: ({ channelId }) => [`PATCH /channels/${channelId}`, { is_moved_off: true }],
  },
  "channel.move_back": {
    console: ({ channelId }) => operator().channels.setMovedOff({ channelId, isMovedOff: false }),
    command: ({ name }) => `channel move-back --channel ${name}`,
    admin: ({ channelId }) => [`PATCH /channels/${channelId}`, { is_moved_off: false }],
  },
});
