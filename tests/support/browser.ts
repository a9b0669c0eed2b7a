import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import type { LaunchOptions } from "playwright";
import { extract } from "tar-fs";
import { decompress } from "wawoff2";

const require = createRequire(import.meta.url);
const chromium = dirname(dirname(require.resolve("@sparticuz/chromium")));
const fontPackages = [
  require.resolve("@fontsource-variable/noto-sans-sc/package.json"),
  require.resolve("@fontsource/dejavu-mono/package.json"),
];
const { version } = JSON.parse(readFileSync(join(chromium, "package.json"), "utf8"));
/** The folder of the unpacked browser; a new installation of the packages empties it. */
const home = resolve(`node_modules/.cache/chromium-${version}`);

/** Chromium's sandbox does not work in containers or as root; the tests open only our own pages. */
const quiet = [
  ...["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
  // A page lives for two seconds: code that V8 optimises in this time does not pay back its compilation.
  "--js-flags=--no-opt --no-maglev",
];

/** Only the fonts of the packages, so that a page has the same width on every machine, also in Chinese. */
const fontConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(home, "fonts")}</dir>
  <cachedir>${join(home, "font-cache")}</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

/** Chromium reads no compressed fonts from a folder. */
async function unpackFonts(folder: string): Promise<void> {
  for (const font of fontPackages) {
    const files = join(dirname(font), "files");
    for (const name of (await readdir(files)).filter((file) => file.endsWith(".woff2"))) {
      const ttf = await decompress(await readFile(join(files, name)));
      await writeFile(join(folder, name.replace(/woff2$/, "ttf")), ttf);
    }
  }
}

async function unpack(folder: string): Promise<void> {
  const read = (name: string) => createReadStream(join(chromium, "bin", name));
  await Promise.all([
    pipeline(
      read("chromium.br"),
      createBrotliDecompress(),
      createWriteStream(join(folder, "chromium"), { mode: 0o755 }),
    ),
    // `lib/`, with the files of Debian's libnss3, libnspr4 and libexpat1.
    pipeline(read("al2023.tar.br"), createBrotliDecompress(), extract(folder)),
    // `fonts/`, with Open Sans.
    pipeline(read("fonts.tar.br"), createBrotliDecompress(), extract(folder)),
  ]);
  await unpackFonts(join(folder, "fonts"));
  await writeFile(join(folder, "fonts.conf"), fontConfig);
}

/** Unpacks the browser of the packages, once for each of its versions. Does nothing if CHROMIUM_PATH is set. */
export async function prepareBrowser(): Promise<void> {
  if (process.env.CHROMIUM_PATH || existsSync(home)) {
    return;
  }
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("the packages' browser runs on Linux on x64 only: set CHROMIUM_PATH to a Chromium");
  }
  await mkdir(dirname(home), { recursive: true });
  const folder = await mkdtemp(`${home}-`);
  await unpack(folder);
  // Moves the folder as a whole, and keeps only one if two runs unpack at the same time.
  await rename(folder, home).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") {
      throw error;
    }
    return rm(folder, { recursive: true });
  });
}

/** The Chromium of all tests: the packages' one, never an installed one, unless CHROMIUM_PATH names it. */
export function browserOptions(): LaunchOptions {
  if (process.env.CHROMIUM_PATH) {
    return { executablePath: process.env.CHROMIUM_PATH, args: quiet };
  }
  return {
    executablePath: join(home, "chromium"),
    args: quiet,
    env: { ...process.env, LD_LIBRARY_PATH: join(home, "lib"), FONTCONFIG_FILE: join(home, "fonts.conf") },
  };
}
