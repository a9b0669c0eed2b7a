import { secretsOperations } from "@/server/operations";
import type { Command } from "./command";
import { doorOf, operate } from "./operate";

const rotate: Command = {
  summary:
    "Re-encrypt all stored secrets with the current ENCRYPTION_KEY; safe while the server runs, and safe to repeat",
  flags: {},
  run: (context) => secretsOperations.rotate(doorOf(context)),
};

const accept: Command = {
  summary:
    "Accept the current secrets after the old ones are lost; data encrypted or hashed with the old ones is lost",
  flags: {},
  run: (context) => operate(context, secretsOperations.accept, {}),
};

export const secretsCommands: Record<string, Command> = { rotate, accept };
