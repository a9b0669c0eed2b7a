/** Secrets by reference: files name a variable of the environment or a file. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { SecretReference } from "./kind";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The reference for people, which says nothing about the secret. */
export const inWords = (reference: SecretReference): string =>
  "env" in reference ? `env ${reference.env}` : `file ${reference.file}`;

/** A secret that cannot be read. */
export class NoSecret extends Error {}

/** Reads a secret. `file`: the file with the reference. Throws NoSecret. */
export async function readSecret(
  reference: SecretReference,
  { file, env }: { file: string; env: Environment },
): Promise<string> {
  if ("env" in reference) {
    const value = env[reference.env];
    if (value === undefined || value === "") {
      throw new NoSecret(`the environment variable ${reference.env} is not set`);
    }
    return value;
  }
  const path = resolve(dirname(file), reference.file);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new NoSecret(`${reference.file} cannot be read (${error.code})`);
  });
  // Editors and `kubectl` end a file with a line end.
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "") {
    throw new NoSecret(`${reference.file} is empty`);
  }
  return secret;
}
