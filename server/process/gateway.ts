/** A process that answers calls, on a port that it shares with other gateways. */
import { gatewaysOf } from "@/server/base/config";
import { GatewayError } from "@/server/base/errors";
import { startOwnWork } from "@/server/worker";
import { gatewaysShares, limitsPerOrigin } from "../runtime/capacity";
import { runChild } from "./child";
import { createHttpServer } from "./http";
import { createQuestions } from "./parent-link";
import { toConsole, upgradeToConsole } from "./to-console";

const METRICS_PATIENCE_MS = 5_000;

runChild({
  originLimits: (config) => limitsPerOrigin(config, gatewaysOf(config)),
  sharesOf: gatewaysShares,
  open: async (runtime, { consoleSocket, link, isStandIn }) => {
    const questions = createQuestions<string>(
      link,
      METRICS_PATIENCE_MS,
      () => new GatewayError("unavailable", "", { cause: new Error("the parent process does not answer") }),
    );
    link.on("metrics", ({ id, text }) => void questions.answer(id, text));
    const firstConsole = new Promise<void>((resolve) => {
      link.on("console", () => resolve());
      link.on("listen", ({ hasConsole }) => hasConsole && resolve());
    });
    const others = toConsole(runtime, consoleSocket, isStandIn ? null : firstConsole);
    const server = createHttpServer(runtime, others, async () => ({
      contentType: runtime.metrics.registry.contentType,
      text: await questions.ask((id) => link.send({ kind: "metrics", id })),
    }));
    if (runtime.config.NODE_ENV === "development") {
      server.on("upgrade", upgradeToConsole(consoleSocket));
    }
    return { server, end: startOwnWork(runtime) };
  },
});
