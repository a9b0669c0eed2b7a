import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The beginning of a command line of the operator's commands, for messages. A checkout has a script of npm for them. A
 * copy of dist/ (an image, a release) has no npm: there the program is next to the file that this process runs.
 */
function commandLine(): string {
  const folder = dirname(process.argv[1] ?? "");
  const program = join(folder, "tollgate.js");
  const isCopy = existsSync(program) && !existsSync(join(folder, "../scripts/tollgate.mjs"));
  return isCopy ? `node ${program}` : "npm run -s tollgate --";
}

export const COMMAND_LINE = commandLine();
