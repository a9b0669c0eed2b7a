// Rebuilds stale parts of dist/ and says so. dist/ is a folder that starts with `node dist/main.js` from any place.
// esbuild makes the servers and commands, Next makes the console.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { build } from "esbuild";
import { copyFiles, copyNext, copyPackages, dropStalePackages, packagesIn } from "./assemble.mjs";
import { keepInLatin } from "./latin.mjs";

export const CONSOLE_SOURCES = [
  "app",
  "server",
  "proxy.ts",
  "package-lock.json",
  "next.config.mjs",
  "tsconfig.json",
];
export const SERVER_SOURCES = [
  "server",
  "drizzle",
  "docs",
  "CHANGELOG.md",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
];

/** The contents of files that both lists of sources name: a start reads `server` once. */
const contents = new Map();

function contentOf(path) {
  const content = contents.get(path) ?? readFileSync(path);
  contents.set(path, content);
  return content;
}

function hashOf(paths) {
  const hash = createHash("sha256");
  const visit = (path) => {
    if (!existsSync(path)) {
      return;
    }
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) {
        visit(join(path, name));
      }
    } else if (!/\.test\.tsx?$/.test(path)) {
      hash.update(path).update(contentOf(path));
    }
  };
  for (const path of paths) {
    visit(path);
  }
  return hash.digest("hex");
}

const isFresh = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, "utf8") === hash;

const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

/**
 * Bundles TypeScript entries for Node. Packages stay outside, except one of which we need a small part: loading all
 * of its files takes 130 MB of memory in each process, and loading the part takes 5.
 */
export const bundle = (entryPoints, outdir) =>
  build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    external: Object.keys({ ...dependencies, ...devDependencies }).filter((name) => name !== "drizzle-orm"),
    sourcemap: true,
    metafile: true,
    logLevel: "warning",
  });

const THREADS = [
  "server/gateway/body/check-worker",
  "server/gateway/body/measure-worker",
  "server/upstream/embedding-worker",
];

/** Packages that the bundles in dist/ import. */
const IMPORTS = "dist/imports.json";

/** Deletes files of earlier bundles that are no longer used. */
function dropOld(folder, { outputs }) {
  const made = new Set(Object.keys(outputs));
  for (const name of readdirSync(folder).filter((one) => /\.js(\.map)?$/.test(one))) {
    if (!made.has(`${folder}/${name}`)) {
      rmSync(join(folder, name));
    }
  }
}

/** Bundles the server's processes and the commands into dist/, with everything but packages and pages. */
export async function buildServer() {
  dropStalePackages("dist");
  const hash = hashOf(SERVER_SOURCES);
  if (isFresh("dist/stamp", hash)) {
    return;
  }
  const entries = ["main", "boot", "gateway", "console", "tollgate"].map((name) => [
    name,
    `scripts/entries/${name}.mjs`,
  ]);
  const processes = await bundle(Object.fromEntries(entries), "dist");
  const threads = await bundle(Object.fromEntries(THREADS.map((name) => [name, `${name}.ts`])), "dist");
  keepInLatin(globSync(["dist/*.js", "dist/server/**/*.js"]));
  dropOld("dist", { outputs: { ...processes.metafile.outputs, ...threads.metafile.outputs } });
  // Code of modules that are no longer there would stay.
  rmSync("dist/.compiled", { recursive: true, force: true });
  copyFiles("dist");
  const names = [processes, threads].flatMap(({ metafile }) => packagesIn(metafile));
  writeFileSync(IMPORTS, JSON.stringify([...new Set(names)].sort()));
  writeFileSync("dist/stamp", hash);
}

/**
 * Bundles the same processes for `npm run dev`. They run with the project's packages: Next needs all of them to
 * compile pages.
 */
export async function buildForDevelopment() {
  const names = ["main", "boot", "gateway", "console"].map((name) => [name, `server/process/${name}.ts`]);
  await bundle(Object.fromEntries(names), ".development");
}

/**
 * Compresses each script and style for `server/process/static-files.ts`. The smallest form takes too long to make at
 * a request.
 */
async function compressStatic(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));
  const compress = promisify(brotliCompress);
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      await writeFile(`${path}.br`, await compress(await readFile(path)));
    }),
  );
}

/** Builds the console and Next's copy of the API into .next/. */
async function buildPages(hash) {
  if (isFresh(".next/stamp", hash)) {
    return;
  }
  console.log("Building the console (about half a minute, once)");
  const result = spawnSync(process.execPath, ["node_modules/next/dist/bin/next", "build"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" },
  });
  if (result.status !== 0) {
    process.stderr.write(result.stdout);
    process.stderr.write(result.stderr);
    process.exit(result.status ?? 1);
  }
  await compressStatic(".next/static");
  writeFileSync(".next/stamp", hash);
}

/** Completes dist/ after `buildServer` with the console and packages. From then on dist/ needs no other files. */
export async function buildConsole() {
  const hash = hashOf(CONSOLE_SOURCES);
  await buildPages(hash);
  if (!isFresh("dist/.next/stamp", hash)) {
    copyNext("dist");
    keepInLatin(globSync("dist/.next/server/**/*.js"));
    writeFileSync("dist/.next/stamp", hash);
  }
  // The process may become the server.
  contents.clear();
  copyPackages("dist", { names: JSON.parse(readFileSync(IMPORTS, "utf8")), pages: hash });
}

// `npm run build`; other scripts import the two steps.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildServer();
  await buildConsole();
}
