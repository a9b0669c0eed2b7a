/** Finds and reads the files that a person names. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidFiles } from "./problem";

const YAML = /\.ya?ml$/;

/** The YAML files in a folder and its subfolders. Hidden names are skipped: Kubernetes keeps its copies under such. */
async function filesIn(path: string): Promise<string[]> {
  const names = (await readdir(path)).filter((name) => !name.startsWith(".")).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const inside = join(path, name);
      if ((await stat(inside)).isDirectory()) {
        return await filesIn(inside);
      }
      return YAML.test(name) ? [inside] : [];
    }),
  );
  return found.flat();
}

const reason = (error: unknown) => (error as NodeJS.ErrnoException).code ?? String(error);

const problem = (file: string, message: string) => new InvalidFiles([{ file, line: 1, member: "", message }]);

/** Reads every file that is named, and every YAML file in a folder that is named. Throws InvalidFiles. */
export async function readSources(paths: readonly string[]): Promise<{ file: string; text: string }[]> {
  const files = new Set<string>();
  for (const path of paths) {
    try {
      const isFolder = (await stat(path)).isDirectory();
      const inside = isFolder ? await filesIn(path) : [path];
      if (inside.length === 0) {
        throw problem(path, "this folder has no .yaml or .yml file");
      }
      for (const file of inside) {
        files.add(file);
      }
    } catch (error) {
      throw error instanceof InvalidFiles ? error : problem(path, `cannot be read (${reason(error)})`);
    }
  }
  return await Promise.all(
    [...files].map(async (file) => ({
      file,
      text: await readFile(file, "utf8").catch((error: unknown) => {
        throw problem(file, `cannot be read (${reason(error)})`);
      }),
    })),
  );
}
