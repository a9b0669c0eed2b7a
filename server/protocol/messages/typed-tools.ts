import type { JsonObject } from "../fields";

/** The meaning of a client tool, for a model that was not trained on it. */
type Definition = { description: string; parameters: JsonObject };

const text = (description: string) => ({ type: "string", description });
const line = (description: string) => ({ type: "integer", description });

function define(description: string, properties: JsonObject, required: string[]): Definition {
  return { description, parameters: { type: "object", properties, required } };
}

const bash = define(
  "Runs commands in a bash shell that keeps its state between calls.",
  {
    command: text("The command to run. Needed unless restart is true."),
    restart: { type: "boolean", description: "Start a new shell." },
  },
  [],
);

const fileMembers = {
  path: text("Path of the file or directory."),
  file_text: text("create: the content of the new file."),
  old_str: text("str_replace: the text to replace; it must occur exactly once."),
  view_range: {
    type: "array",
    items: { type: "integer" },
    description: "view: first and last line, from 1; a last line of -1 is the end of the file.",
  },
  insert_line: line("insert: the line after which to insert; 0 is the start of the file."),
};

const command = (names: string[]) => ({ type: "string", enum: names, description: "What to do." });

/** Up to 2025-01 the editor took the text to insert as `new_str`; models since then say `insert_text`. */
const oldEditor = define(
  "Views, creates and edits text files.",
  {
    command: command(["view", "create", "str_replace", "insert", "undo_edit"]),
    ...fileMembers,
    new_str: text("str_replace: the text to put there. insert: the text to insert."),
  },
  ["command", "path"],
);

const editor = define(
  "Views, creates and edits text files.",
  {
    command: command(["view", "create", "str_replace", "insert"]),
    ...fileMembers,
    new_str: text("str_replace: the text to put there."),
    insert_text: text("insert: the text to insert."),
  },
  ["command", "path"],
);

const memory = define(
  "Views and edits the files below /memories, which last from one conversation to the next. Look there first.",
  {
    command: command(["view", "create", "str_replace", "insert", "delete", "rename"]),
    ...fileMembers,
    new_str: text("str_replace: the text to put there."),
    insert_text: text("insert: the text to insert."),
    old_path: text("rename: the present path."),
    new_path: text("rename: the new path."),
  },
  ["command"],
);

/** The definition of a typed client tool (`bash_20250124`). null: unknown. */
export function findTypedTool(type: string): Definition | null {
  if (/^bash_\d+$/.test(type)) {
    return bash;
  }
  if (/^text_editor_\d+$/.test(type)) {
    return type <= "text_editor_20250124" ? oldEditor : editor;
  }
  return /^memory_\d+$/.test(type) ? memory : null;
}
