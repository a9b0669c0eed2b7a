import { PROMPT, type Program, type ProgramInput } from "../program";

type GooseProvider = Pick<Program, "dialect"> & {
  provider: string;
  env: (task: ProgramInput) => Record<string, string>;
};

/** One of goose's own providers, with its shell and without questions to its user. */
const goose = ({ dialect, provider, env }: GooseProvider): Program => ({
  id: `goose-${dialect}`,
  title: `goose, ${provider}`,
  version: "1.52.0",
  dialect,
  npm: ["@aaif/goose-binary-linux-x64@1.52.0"],
  command: () => [
    "node_modules/@aaif/goose-binary-linux-x64/bin/goose",
    ...["run", "--no-session", "--with-builtin", "developer", "--text", PROMPT],
  ],
  env: (task) => ({
    GOOSE_PROVIDER: provider,
    GOOSE_MODEL: task.model,
    GOOSE_MODE: "auto",
    GOOSE_DISABLE_KEYRING: "1",
    ...env(task),
  }),
});

export const gooses = [
  goose({
    dialect: "chat",
    provider: "openai",
    env: ({ url, key }) => ({
      OPENAI_HOST: url,
      OPENAI_BASE_PATH: "v1/chat/completions",
      OPENAI_API_KEY: key,
    }),
  }),
  goose({
    dialect: "messages",
    provider: "anthropic",
    env: ({ url, key }) => ({ ANTHROPIC_HOST: url, ANTHROPIC_API_KEY: key }),
  }),
];
