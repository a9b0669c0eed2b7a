import type { Caller, Door } from "./code-doors";

/** What an operator says of costs, by every door. */
export const costSteps = (operator: () => Caller): Record<string, Door> => ({
  "cost.set": {
    console: ({ channelId, name }) =>
      operator().prices.setCosts({
        channelId,
        modelId: name,
        prices: [
          { name: "input", price: "0.5" },
          { name: "video:5:720p", price: "2" },
        ],
      }),
    command: ({ name }) =>
      `cost set --channel ${name} --model ${name} --price input=0.5 --price video:5:720p=2`,
    admin: ({ channelId, name }) => [
      `POST /channels/${channelId}/cost-prices`,
      {
        model_id: name,
        prices: [
          { name: "input", price: "0.5" },
          { name: "video:5:720p", price: "2" },
        ],
      },
    ],
  },
  "cost.import": {
    console: ({ channelId }) => operator().prices.importCosts({ channelId, factor: "0.8" }),
    command: ({ name }) => `cost import --channel ${name} --factor 0.8`,
    admin: ({ channelId }) => [`POST /channels/${channelId}/cost-imports`, { factor: "0.8" }],
  },
});
