import { secretsOperations } from "@/server/operations";
import type { Command } from "./command";
import { doorOf, operate } from "./operate";

const rotate: Command = {
  summary:
    "Seal everything that is stored anew with the current ENCRYPTION_KEY; may run beside the server, and again",
  flags: {},
  run: (context) => secretsOperations.rotate(doorOf(context)),
};

const accept: Command = {
  summary:
    "Go on with the current secrets although the old ones are lost, and with them what they sealed and hashed",
  flags: {},
  run: (context) => operate(context, secretsOperations.accept, {}),
};

export const secretsCommands: Record<string, Command> = { rotate, accept };
