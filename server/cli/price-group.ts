import { getPriceGroup } from "@/server/catalog";
import { parseFactor } from "@/server/domain/factor";
import { priceGroupOperations } from "@/server/operations";
import { priceGroupQueries } from "@/server/queries";
import { type Command, type CommandContext, type FlagValues, many, need, text, UsageError } from "./command";
import { changing, operate } from "./operate";
import { shownWhole } from "./render";
import { withRooms } from "./with-rooms";

const group: Command["flags"] = { group: { type: "string", required: true } };

const named = async ({ db }: Pick<CommandContext, "db">, values: FlagValues) =>
  (await getPriceGroup(db, need(values, "group"))).id;

/** All flags `--model NAME=FACTOR`; `none` for an empty list. undefined: not given. */
function modelsOf(values: FlagValues): { modelId: string; factor: string }[] | undefined {
  const written = many(values, "model");
  if (written.length === 0) {
    return undefined;
  }
  return written
    .filter((entry) => entry !== "none")
    .map((entry) => {
      const [, modelId, factor = ""] = /^(.+)=([^=]+)$/.exec(entry) ?? [];
      if (modelId === undefined || parseFactor(factor) === null) {
        throw new UsageError(`--model ${entry}: write MODEL=FACTOR, such as a-model=0.7`);
      }
      return { modelId, factor };
    });
}

export const priceGroupCommands: Record<string, Command> = {
  list: {
    summary: "List price groups with their accounts and the models that they price below cost",
    flags: {},
    run: (context) =>
      withRooms(context, async (rooms) => {
        const { config, secrets, database: db } = context;
        const rows = await priceGroupQueries.list.read({ ...rooms, config, secrets, db }, {}, "operator");
        return rows.map(shownWhole);
      }),
  },
  create: {
    summary:
      "Create a price group: every price times --factor, or times the factor of a model: --model a-model=0.7",
    flags: {
      name: { type: "string", required: true },
      factor: { type: "string", required: true },
      model: { type: "string", multiple: true },
    },
    run: changing(async (context, values) =>
      shownWhole(
        await operate(context, priceGroupOperations.create, {
          name: need(values, "name"),
          factor: need(values, "factor"),
          models: modelsOf(values),
        }),
      ),
    ),
  },
  set: {
    summary:
      "Change a price group; settings without a flag stay the same, and --model replaces all factors of models",
    flags: {
      ...group,
      name: { type: "string" },
      factor: { type: "string" },
      model: { type: "string", multiple: true },
    },
    run: changing(async (context, values) =>
      shownWhole(
        await operate(context, priceGroupOperations.update, {
          priceGroupId: await named(context, values),
          name: text(values, "name"),
          factor: text(values, "factor"),
          models: modelsOf(values),
        }),
      ),
    ),
  },
  remove: {
    summary: "Remove a price group that no account uses",
    flags: group,
    run: changing(async (context, values) => {
      const priceGroupId = await named(context, values);
      await operate(context, priceGroupOperations.remove, { priceGroupId });
      return { removed: priceGroupId };
    }),
  },
};
