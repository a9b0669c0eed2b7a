import { PROMPT, type Program, type ProgramInput } from "../program";

type OpencodeProvider = Pick<Program, "dialect"> & {
  provider: string;
  baseURL: (task: ProgramInput) => string;
  /** The provider's own options of a model. */
  options?: object;
};

/** Without a limit opencode asks Claude for -1 tokens of thinking when it wants a title. */
const LIMIT = { context: 200_000, output: 64_000 };

/** One of the AI SDK's providers that opencode includes. */
const opencode = ({ dialect, provider, baseURL, options = {} }: OpencodeProvider): Program => ({
  id: `opencode-${dialect}`,
  title: `opencode, ${provider}`,
  version: "1.18.33",
  dialect,
  npm: ["opencode-ai@1.18.33"],
  files: (task) => ({
    "work/opencode.json": JSON.stringify({
      provider: {
        tollgate: {
          npm: provider,
          options: { baseURL: baseURL(task), apiKey: task.key },
          models: {
            [task.model]: { name: task.model, tool_call: true, reasoning: true, limit: LIMIT, options },
          },
        },
      },
      small_model: `tollgate/${task.model}`,
      permission: "allow",
      autoupdate: false,
      share: "disabled",
    }),
  }),
  command: ({ model }) => ["node_modules/.bin/opencode", "run", "--model", `tollgate/${model}`, PROMPT],
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" }),
});

const underV1 = ({ url }: ProgramInput) => `${url}/v1`;

const thinks = { reasoningEffort: "high" };

export const opencodes = [
  opencode({ dialect: "chat", provider: "@ai-sdk/openai-compatible", baseURL: underV1, options: thinks }),
  opencode({ dialect: "responses", provider: "@ai-sdk/openai", baseURL: underV1, options: thinks }),
  opencode({ dialect: "messages", provider: "@ai-sdk/anthropic", baseURL: underV1 }),
  opencode({ dialect: "gemini", provider: "@ai-sdk/google", baseURL: ({ url }) => `${url}/v1beta` }),
];
