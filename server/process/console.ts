/** The process of the console: its pages, the admin API and the background work. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import next from "next";
import { startWorker } from "@/server/worker";
import { runChild } from "./child";
import { answerConsole } from "./console-handler";
import { createBoundedServer } from "./http";
import { keepSnapshot } from "./keep-snapshot";
import { createStaticFiles } from "./static-files";
import { handedPeer } from "./to-console";

/** For calls from the playground and tests of channels. */
const LIMITS = { places: 128, waiting: 128, patienceMs: 10_000 };

runChild({
  originLimits: () => LIMITS,
  sharesOf: (_, common) => common,
  open: async (runtime, { consoleSocket, link }) => {
    const { config } = runtime;
    const dev = config.NODE_ENV === "development";
    const pages = next({ dev, dir: process.cwd(), hostname: config.HOST, port: config.PORT });
    await pages.prepare();
    const answer = pages.getRequestHandler();
    const isSent = dev ? () => false : createStaticFiles(join(process.cwd(), ".next", "static"));
    const handle = answerConsole(
      runtime,
      async (incoming, outgoing) => {
        if (!isSent(incoming, outgoing)) {
          await answer(incoming, outgoing);
        }
        return null;
      },
      handedPeer,
    );
    const server = createBoundedServer(runtime, handle);
    if (dev) {
      // In development, pages are sent to the browser as they change.
      server.on("upgrade", pages.getUpgradeHandler());
    }
    // A killed console leaves its socket, and a new one could not listen there.
    rmSync(consoleSocket, { force: true });
    const stops = [startWorker(runtime), keepSnapshot(runtime)];
    return {
      server,
      end: async () => {
        await pages.close();
        await Promise.all(stops.map((stop) => stop()));
        if (link.isGone()) {
          // The parent, which created the directory, can no longer remove it.
          rmSync(dirname(consoleSocket), { recursive: true, force: true });
        }
      },
    };
  },
});
