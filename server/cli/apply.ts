import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { snakeCase } from "@/server/base/snake-case";
import { Refusal } from "@/server/domain/refusal";
import {
  apply as applyFiles,
  exportFiles,
  failureLines,
  fileSchema,
  inFile,
  type Result,
  readFiles,
  textOf,
} from "@/server/files";
import {
  type Command,
  type CommandContext,
  type FlagValues,
  many,
  type Printer,
  text,
  UsageError,
  wholeNumber,
} from "./command";
import { CheckFailed } from "./findings";
import { doorOf } from "./operate";
import { Report } from "./render";

const LABEL = /^[a-z0-9][a-z0-9._-]{0,62}$/i;

function labelOf(values: FlagValues): string {
  const label = text(values, "label") ?? "default";
  if (!LABEL.test(label)) {
    throw new UsageError("--label has letters, digits, dots, hyphens and underscores, at most 63");
  }
  return label;
}

/** The result for programs. Members have the names of the files. */
const jsonOf = ({ outcomes, unchanged, failed, kept }: Result) => ({
  changes: outcomes.map(({ action, title, place, differences, advice }) => ({
    action,
    object: title,
    ...place,
    members: differences.map(({ member, ...values }) => ({
      member: snakeCase(member),
      ...(inFile(values) as object),
    })),
    ...(advice !== null && { note: advice }),
  })),
  unchanged,
  failed: failed.map(({ title, place, ...failure }) => ({ object: title, ...place, ...failure })),
  not_pruned: kept.map(({ title }) => title),
});

async function run(context: CommandContext, values: FlagValues): Promise<Report> {
  const label = labelOf(values);
  const isDry = values["dry-run"] === true;
  const prune = wholeNumber(values, "prune", { min: 0, max: 100_000 }) ?? null;
  let isStopped = false;
  context.onInterrupt(() => {
    isStopped = true;
  });
  const desired = await readFiles(many(values, "file"), context.env);
  if (desired.length === 0) {
    throw new Refusal("the files name no object: nothing was changed", null);
  }
  const ground = {
    database: context.database,
    door: doorOf(context, { userId: null, name: `apply:${label}`, address: null }),
    tell: context.tell,
    isStopped: () => isStopped,
  };
  const result = await applyFiles(ground, desired, { label, isDry, prune });
  const report = new Report(jsonOf(result), textOf(result, isDry));
  const failures = failureLines(result).join("\n");
  if (result.isRefused) {
    throw new Refusal(`${failures}\nRefused. Nothing was changed.`, null);
  }
  if (result.failed.length > 0) {
    const words = "The objects above were applied. Run it again when the reason is gone.";
    throw new CheckFailed(`Not applied:\n${failures}\n${words}`, report);
  }
  if (isDry && result.outcomes.length > 0) {
    throw new CheckFailed("Changes are pending.", report);
  }
  return report;
}

export const applyCommands: Record<string, Command | Printer> = {
  "": {
    summary:
      "Apply configuration files; --dry-run only shows the changes (exit code 1: there are some, 2: refused, " +
      "3: failed, run it again); " +
      "--prune N removes or disables up to N objects that an earlier apply with this label created and no file names",
    flags: {
      file: { type: "string", short: "f", multiple: true, required: true },
      "dry-run": { type: "boolean" },
      prune: { type: "string" },
      label: { type: "string" },
    },
    isVerdict: true,
    isRetried: true,
    run,
  },
  schema: {
    summary: "Print the JSON schema of configuration files, for editors",
    flags: {},
    prints: () => {
      const schema = fileSchema();
      return new Report(schema, JSON.stringify(schema, null, 2));
    },
  },
};

/** Writes a file that is not there yet. Throws Refusal. */
async function writeNew(path: string, content: string): Promise<void> {
  await writeFile(path, content, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? new Refusal(`${path} exists already: choose another folder`, null)
      : error;
  });
}

export const exportCommand: Command = {
  summary:
    "Export channels, models, prices, accounts, keys and people as configuration files, without secrets",
  flags: { to: { type: "string" } },
  run: async ({ database, tell }, values) => {
    const { files, leftOut } = await exportFiles(database);
    for (const line of leftOut) {
      tell(`Not exported: ${line}. Give them different names.`);
    }
    const folder = text(values, "to");
    if (folder === undefined) {
      return new Report(files, files.map(({ text: content }) => content.trimEnd()).join("\n---\n"));
    }
    await mkdir(folder, { recursive: true });
    for (const { name, text: content } of files) {
      await writeNew(join(folder, name), content);
    }
    return files.map(({ name }) => ({ file: join(folder, name) }));
  },
};
