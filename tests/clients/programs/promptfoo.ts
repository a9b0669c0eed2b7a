import { PROMPT, type Program } from "../program";

const look = {
  type: "function",
  function: {
    name: "look",
    description: "Multiplies",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
};

export const promptfoo: Program = {
  id: "promptfoo",
  title: "promptfoo",
  version: "0.123.1",
  dialect: "chat",
  npm: ["promptfoo@0.123.1"],
  // promptfoo shows its callback's result and makes no further call. Two questions: the second call of the minute is
  // refused.
  isOneWay: true,
  words: /\[(PASS|ERROR)\]|returned HTTP/,
  files: ({ url, key, model }) => ({
    "work/promptfooconfig.json": JSON.stringify({
      prompts: ["{{ask}}"],
      providers: [
        {
          id: `openai:chat:${model}`,
          config: {
            apiBaseUrl: `${url}/v1`,
            apiKey: key,
            tools: [look],
            functionToolCallbacks: { look: "async () => String(41 * 1000003)" },
          },
        },
      ],
      tests: [{ vars: { ask: PROMPT } }, { vars: { ask: `${PROMPT} Once more.` } }],
      evaluateOptions: { maxConcurrency: 1, cache: false, showProgressBar: false },
    }),
  }),
  command: () => ["node_modules/.bin/promptfoo", "eval", "--no-cache", "-c", "promptfooconfig.json"],
  env: ({ home }) => ({
    PROMPTFOO_CONFIG_DIR: `${home}/promptfoo`,
    PROMPTFOO_DISABLE_TELEMETRY: "1",
    PROMPTFOO_DISABLE_UPDATE: "1",
    PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
  }),
};
