import type { Caller, Door } from "./code-doors";

const from = "2098-12-31T00:00:00.000Z";

/** What an operator says of prices that are to begin, by every door. */
export const priceSteps = (operator: () => Caller): Record<string, Door> => ({
  "price.schedule": {
    console: ({ name }) =>
      operator().prices.set({ cells: [{ modelId: name, name: "input", price: "7" }], beginsAt: from }),
    command: ({ name }) => `price set --model ${name} --price input=7 --from ${from}`,
    admin: ({ name }) => [
      "POST /prices",
      { cells: [{ model_id: name, name: "input", price: "7" }], begins_at: from },
    ],
  },
  "price.withdraw": {
    console: ({ name }) => operator().prices.withdraw({ modelId: name, beginsAt: from }),
    command: ({ name }) => `price withdraw --model ${name} --from ${from}`,
    admin: ({ name }) => [`POST /models/${name}/prices/${encodeURIComponent(from)}/withdrawals`],
  },
});
