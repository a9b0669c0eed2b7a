import { callQueries } from "@/server/queries";
import { type Command, need } from "./command";
import { shownWhole } from "./render";
import { withRooms } from "./with-rooms";

const show: Command = {
  summary: "Show a request: its result, its cost and how it was calculated, and its attempts at upstreams",
  flags: { request: { type: "string", required: true } },
  run: (context, values) =>
    withRooms(context, async (rooms) => {
      const { config, secrets, database: db } = context;
      const target = { requestId: need(values, "request") };
      return shownWhole(await callQueries.get.read({ ...rooms, config, secrets, db }, target, "operator"));
    }),
};

export const callCommands: Record<string, Command> = { show };
