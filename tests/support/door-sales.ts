import { changing, type DoorStep, ofAccount, step } from "./door-step";

const from = "2098-12-31T00:00:00.000Z";
const endpoint = "https://doors.test/v1";
const costs = [
  { name: "input", price: "0.5" },
  { name: "video:5:720p", price: "2" },
];

/** Models, prices and channels. */
export const sales: Record<string, DoorStep> = {
  "model.save": step("prices.create", "POST /models", {
    command: "model set --id {name} --kind chat --routing affinity --input 1 --output 2.5",
    with: {
      ...{ kind: "chat", routing: "affinity", id: "{name}", isEnabled: true },
      ...{ inputPrice: "1", outputPrice: "2.5" },
    },
  }),
  "price.import": step("prices.importList", "POST /price-lists/{vendor}/imports", {
    command: "price import --vendor dashscope --model {name}",
    with: { vendor: "dashscope", models: ["{name}"] },
  }),
  "price.schedule": step("prices.set", "POST /prices", {
    command: `price set --model {name} --price input=7 --from ${from}`,
    with: { cells: [{ modelId: "{name}", name: "input", price: "7" }], beginsAt: from },
  }),
  "price.withdraw": step("prices.withdraw", "POST /models/{model_id}/prices/{begins_at}/withdrawals", {
    command: `price withdraw --model {name} --from ${from}`,
    with: { modelId: "{name}", beginsAt: from },
  }),
  // The group's account gets its old group back before the group is removed.
  "price_group.create": step("prices.createGroup", "POST /price-groups", {
    command: "price-group create --name {name} --factor 0.8 --model {name}=0.7",
    with: { name: "{name}", factor: "0.8", models: [{ modelId: "{name}", factor: "0.7" }] },
    makes: "priceGroupId",
  }),
  "price_group.update": step("prices.updateGroup", "PATCH /price-groups/{price_group_id}", {
    command: "price-group set --group {name} --factor 0.85",
    with: { factor: "0.85" },
  }),
  "account.set_price_group": ofAccount("setPriceGroup", "set-price-group --group {name}", {
    priceGroupId: "{priceGroupId}",
  }),
  "price_group.remove": step("prices.removeGroup", "DELETE /price-groups/{price_group_id}", {
    command: "price-group remove --group {name}",
  }),
};

const channel = {
  ...{ name: "{name}", dialect: "openai", vendor: null, baseUrl: endpoint, secrets: ["sk-doors-7f3a"] },
  models: [{ modelId: "{name}", upstreamName: "theirs", overrides: {} }],
  ...{ priority: 3, weight: 2, maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null },
};
const ofChannel = changing("channels", "PATCH /channels/{channel_id}", ["channel", "--channel {name}"]);
export const channels: Record<string, DoorStep> = {
  "channel.create": step("channels.create", "POST /channels", {
    command:
      `channel add --name {name} --dialect openai --base-url ${endpoint} --secret sk-doors-7f3a ` +
      "--model {name}=theirs --priority 3 --weight 2",
    with: channel,
    makes: "channelId",
  }),
  "channel.update": ofChannel("update", "edit --timeout 12", { timeoutSeconds: 12 }),
  "channel.disable": ofChannel("setEnabled", "disable", { isEnabled: false }),
  "channel.enable": step("channels.setEnabled", "PATCH /channels/{channel_id}", {
    command: "channel enable --channel {channelId}",
    with: { isEnabled: true },
  }),
  "channel.move_off": ofChannel("setMovedOff", "move-off", { isMovedOff: true }),
  "channel.move_back": ofChannel("setMovedOff", "move-back", { isMovedOff: false }),
  // The channel has no costs yet, so that the copy is the only entry.
  "cost.copy": step("prices.copyCosts", "POST /channels/{channel_id}/cost-copies", {
    command: "cost copy --channel {name} --from {name} --factor 0.9",
    with: { from: "{channelId}", factor: "0.9" },
  }),
  "cost.set": step("prices.setCosts", "POST /channels/{channel_id}/cost-prices", {
    command: "cost set --channel {name} --model {name} --price input=0.5 --price video:5:720p=2",
    with: { modelId: "{name}", prices: costs },
  }),
  "cost.import": step("prices.importCosts", "POST /channels/{channel_id}/cost-imports", {
    command: "cost import --channel {name} --factor 0.8",
    with: { factor: "0.8" },
  }),
  "channel.sell": step("channels.sell", "POST /channels/{channel_id}/sales", {
    // The model is served and on sale already, so that the sale is the only entry.
    command: "channel sell --channel {name} --model theirs --factor 1.5",
    with: { models: [{ upstreamName: "theirs", modelId: "{name}" }], priceFactor: "1.5" },
  }),
  "channel.set_model_checks": step("channels.setModelChecks", "POST /channels/{channel_id}/model-checks", {
    command: "channel check-models --channel {name} --days 7",
    with: { modelCheckDays: 7 },
  }),
  "channel.see_models": step("channels.seeModels", "POST /channels/{channel_id}/seen-models", {
    command: "channel see-models --channel {name}",
  }),
  "channel.remove": step("channels.remove", "DELETE /channels/{channel_id}", {
    command: "channel remove --channel {name}",
  }),
};
