// `npm run test:mutants -- [--rooms billing,access] [--sample 20] [--seed 7] [--only server/billing/months/months.ts:77]
// [--tests-from REVISION] [--json FILE]`: changes one place of a room's source at a time, in a copy of the tree, and
// shows the changes that no test finds. With `--tests-from`, tests of that revision that have been removed or changed
// since are run against the surviving changes: a change that one of them finds has lost its test.
import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { transform } from "esbuild";
import postgres from "postgres";
import { bundle } from "./build.mjs";
import { isSource, ROOMS } from "./mutant-rooms.mjs";
import { applySite, drawSites, sitesOf } from "./mutant-sites.mjs";
import { endRuns, findDoorTests, findUnitTests, openTree, runTests } from "./mutant-tree.mjs";

const { values } = parseArgs({
  options: {
    rooms: { type: "string", default: Object.keys(ROOMS).join(",") },
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "7" },
    only: { type: "string" },
    "tests-from": { type: "string" },
    json: { type: "string", default: "test-results/mutants.json" },
  },
});

const LAYERS = { unit: "unit", doors: "integration and contract" };

/** The number of test files to run first: they find most of the changes that any file finds. */
const LIKELY_FILES = 4;
/** The time limit comes from a run without a change; a busy machine gets this much more. */
const PATIENCE = { factor: 3, extraMs: 60_000 };
const LONGEST_MS = 3_600_000;

/** Starts the application's embedded PostgreSQL for the whole run. It need not survive a power cut. */
async function startPostgres(tree) {
  const outdir = join(tree.folder, "test-results");
  await bundle({ embedded: "server/db/embedded.ts" }, outdir);
  const { startEmbeddedPostgres } = await import(pathToFileURL(join(outdir, "embedded.js")).href);
  const server = await startEmbeddedPostgres(join(tree.folder, ".postgres"), () => {});
  const sql = postgres(server.url, { max: 1 });
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
    await sql.unsafe(`alter system set ${setting} = off`);
  }
  await sql`select pg_reload_conf()`;
  await sql.end();
  return server;
}

/** Runs the files without a change. A test that fails then proves nothing about a change, so it is left out. */
async function measure(tree, { layer, files, databaseUrl }) {
  if (files.length === 0) {
    return { files, seconds: 0, red: [] };
  }
  const run = await runTests(tree, { files, databaseUrl, timeoutMs: LONGEST_MS, bail: false });
  if (run.status === "broken" || run.status === "timeout") {
    throw new Error(`the tests do not run without a change: ${run.by}`);
  }
  console.log(`${LAYERS[layer]}: ${files.length} test files in ${run.seconds.toFixed(0)} s`);
  for (const file of run.red) {
    console.log(`left out, for it fails without a change: ${file}`);
  }
  return { files: files.filter((file) => !run.red.includes(file)), seconds: run.seconds, red: run.red };
}

const kills = new Map();

/** Orders test files: first those that name the changed file's exports and those that have found changes before. */
function inOrder(tree, files, source) {
  const names = [...source.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name]) => name);
  const pattern = new RegExp(`\\b(?:${names.join("|") || "$^"})\\b`);
  const score = (file) => (pattern.test(tree.read(file)) ? 2 : 0) + (kills.get(file) ?? 0);
  return [...files].sort((a, b) => score(b) - score(a));
}

/** The test runs for a change, the quickest first. */
async function* partsOf(tree, { file, source }, tests) {
  const { unit } = tests;
  const unitFiles = unit.testsOf(file).filter((test) => !unit.red.includes(test));
  yield { layer: "unit", files: unitFiles, measured: unit };
  const doors = await tests.doors();
  const ordered = inOrder(tree, doors.files, source);
  yield { layer: "doors", files: ordered.slice(0, LIKELY_FILES), measured: doors };
  yield { layer: "doors", files: ordered.slice(LIKELY_FILES), measured: doors };
}

async function runParts(tree, { parts, withMutant }, { databaseUrl }) {
  const seconds = {};
  for await (const { layer, files, measured } of parts) {
    if (files.length === 0) {
      continue;
    }
    const timeoutMs = measured.seconds * 1_000 * PATIENCE.factor + PATIENCE.extraMs;
    const run = await withMutant(() => runTests(tree, { files, databaseUrl, timeoutMs }));
    seconds[layer] = (seconds[layer] ?? 0) + run.seconds;
    if (run.status !== "passed") {
      for (const file of run.red) {
        kills.set(file, (kills.get(file) ?? 0) + 1);
      }
      return { outcome: run.status === "failed" ? "killed" : run.status, layer, by: run.by, seconds };
    }
  }
  return { outcome: "survived", seconds };
}

/** Judges one change: `invalid`, `killed`, `timeout`, `broken` or `survived`; `layer` and `by` say where. */
async function judge(tree, site, tests) {
  const source = tree.read(site.file);
  const mutant = applySite(source, site);
  try {
    await transform(mutant, { loader: "ts" });
  } catch {
    // The changed file does not parse; esbuild's message is about our change.
    return { outcome: "invalid", seconds: {} };
  }
  const path = join(tree.folder, site.file);
  const withMutant = async (run) => {
    writeFileSync(path, mutant);
    try {
      return await run();
    } finally {
      writeFileSync(path, source);
    }
  };
  return await runParts(
    tree,
    { parts: partsOf(tree, { file: site.file, source }, tests), withMutant },
    tests,
  );
}

const sitesIn = (tree, room) =>
  globSync(room.sources, { cwd: tree.folder })
    .filter(isSource)
    .sort()
    .flatMap((file) => sitesOf(file, tree.read(file)));

/**
 * The tests of a tree for these sites: all of them, or those that `isWanted` selects. `doors` are measured when first
 * needed.
 */
async function prepare(tree, { room, sites, databaseUrl, isWanted = () => true }) {
  const related = findUnitTests(tree);
  const testsOf = (file) => related(file).filter(isWanted);
  const unitFiles = [...new Set(sites.flatMap(({ file }) => testsOf(file)))];
  const unit = { ...(await measure(tree, { layer: "unit", files: unitFiles, databaseUrl })), testsOf };
  const files = findDoorTests(tree, room).filter(isWanted);
  let measured;
  const doors = () => {
    measured ??= measure(tree, { layer: "doors", files, databaseUrl });
    return measured;
  };
  return { unit, doors, databaseUrl };
}

/** Of the changes that today's tests do not find, those that removed or changed tests of the older tree find. */
async function askOlderTests({ now, before, room, databaseUrl }, survivors) {
  const isWanted = (file) => before.read(file) !== now.read(file);
  const older = new Map(sitesIn(before, room).map((site) => [site.key, site]));
  const found = survivors.map((mutant) => ({ mutant, site: older.get(mutant.key) }));
  const sites = found.flatMap(({ site }) => site ?? []);
  const tests = sites.length > 0 ? await prepare(before, { room, sites, databaseUrl, isWanted }) : null;
  for (const { mutant, site } of found) {
    mutant.older = site ? await judge(before, site, tests) : { outcome: "not in that revision" };
    console.log(
      `older tests: ${mutant.older.outcome} ${mutant.file}:${mutant.line} ${mutant.older.by ?? ""}`,
    );
  }
}

function tableOf(rooms) {
  const count = (mutants, isIt) => mutants.filter(isIt).length;
  return rooms.map(({ name, sites, mutants }) => ({
    room: name,
    sites,
    mutants: mutants.length,
    invalid: count(mutants, ({ outcome }) => outcome === "invalid"),
    "by unit": count(mutants, ({ outcome, layer }) => outcome === "killed" && layer === "unit"),
    "by integration or contract": count(
      mutants,
      ({ outcome, layer }) => outcome === "killed" && layer === "doors",
    ),
    "by time": count(mutants, ({ outcome }) => outcome === "timeout"),
    broken: count(mutants, ({ outcome }) => outcome === "broken"),
    survived: count(mutants, ({ outcome }) => outcome === "survived"),
    ...(values["tests-from"] && {
      "lost its test": count(mutants, ({ older }) => older?.outcome === "killed"),
    }),
  }));
}

function show(rooms) {
  for (const { mutants } of rooms) {
    for (const mutant of mutants.filter(({ outcome }) => outcome === "survived" || outcome === "broken")) {
      console.log(`\n${mutant.outcome} ${mutant.file}:${mutant.line} (${mutant.kind})`);
      console.log(`  - ${mutant.before}\n  + ${mutant.after}`);
      if (mutant.older?.outcome === "killed") {
        console.log(`  lost its test: ${mutant.older.by}`);
      }
    }
  }
  console.table(tableOf(rooms));
}

const rooms = [];
function save() {
  mkdirSync(dirname(values.json), { recursive: true });
  const head = { seed: values.seed, sample: Number(values.sample), "tests-from": values["tests-from"] };
  writeFileSync(values.json, JSON.stringify({ ...head, table: tableOf(rooms), rooms }, null, 2));
}

const names = values.rooms.split(",");
const unknown = names.find((name) => !Object.hasOwn(ROOMS, name));
if (unknown !== undefined) {
  console.error(`there is no room "${unknown}": ${Object.keys(ROOMS).join(", ")}`);
  process.exit(1);
}
const now = openTree();
const before = values["tests-from"] === undefined ? null : openTree(values["tests-from"]);
let server;
async function close() {
  endRuns();
  await server?.stop();
  now.close();
  before?.close();
}
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => void close().finally(() => process.exit(130)));
}
try {
  server = await startPostgres(now);
  const databaseUrl = server.url;
  for (const name of names) {
    const room = ROOMS[name];
    const all = sitesIn(now, room);
    const wanted = all.filter(
      ({ file, line }) => values.only === undefined || [file, `${file}:${line}`].includes(values.only),
    );
    const sites = drawSites(wanted, { sample: Number(values.sample), seed: values.seed });
    const entry = { name, sites: all.length, mutants: [] };
    rooms.push(entry);
    if (sites.length === 0) {
      continue;
    }
    console.log(`\n${name}: ${sites.length} of ${all.length} sites`);
    const tests = await prepare(now, { room, sites, databaseUrl });
    for (const site of sites) {
      const mutant = { ...site, ...(await judge(now, site, tests)) };
      entry.mutants.push(mutant);
      const times = Object.entries(mutant.seconds).map(
        ([layer, seconds]) => `${layer} ${seconds.toFixed(0)} s`,
      );
      console.log(`${mutant.outcome} ${site.file}:${site.line} ${mutant.by ?? ""} (${times.join(", ")})`);
      save();
    }
    const survivors = entry.mutants.filter(({ outcome }) => outcome === "survived");
    if (before !== null) {
      await askOlderTests({ now, before, room, databaseUrl }, survivors);
      save();
    }
  }
} finally {
  await close();
}
show(rooms);
