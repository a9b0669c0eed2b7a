import { PROMPT, type Program, type ProgramInput } from "../program";

type ClineProvider = Pick<Program, "dialect" | "modelPrefix"> & {
  provider: string;
  baseUrl: (task: ProgramInput) => string;
};

/** One of Cline's own providers, set up as `cline auth` does it. */
const cline = ({ provider, baseUrl, ...way }: ClineProvider): Program => ({
  ...way,
  id: `cline-${way.dialect}`,
  title: `Cline (CLI), ${provider}`,
  version: "3.0.65",
  npm: ["cline@3.0.65"],
  files: (task) => ({
    ".cline/data/settings/providers.json": JSON.stringify({
      version: 1,
      lastUsedProvider: provider,
      modes: {},
      providers: {
        [provider]: {
          settings: { provider, apiKey: task.key, model: task.model, baseUrl: baseUrl(task) },
          updatedAt: new Date().toISOString(),
          tokenSource: "manual",
        },
      },
    }),
  }),
  command: ({ model }) => [
    "node_modules/.bin/cline",
    ...["--provider", provider, "--model", model, "--auto-approve", "true", PROMPT],
  ],
});

const underV1 = ({ url }: ProgramInput) => `${url}/v1`;

export const clines = [
  cline({ dialect: "chat", provider: "openai-compatible", baseUrl: underV1 }),
  cline({ dialect: "responses", provider: "openai-native", baseUrl: underV1 }),
  cline({ dialect: "messages", provider: "anthropic", baseUrl: underV1 }),
  // Cline also asks for Google's search, and then sends its own tools only to Gemini 3.
  cline({
    dialect: "gemini",
    provider: "gemini",
    baseUrl: ({ url }) => `${url}/v1beta`,
    modelPrefix: "gemini-3-",
  }),
];
