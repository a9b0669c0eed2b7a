import { GatewayError } from "@/server/base/errors";

/** What a client is told instead. Throws where nothing is refused. */
export function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was refused");
}
