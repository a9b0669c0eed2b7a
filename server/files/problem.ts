/** A place in a file: a line counts from 1. */
export type Place = { file: string; line: number };

/** A mistake in a file, or an object that could not be applied. `member`: the path of the member, as the file has it. */
export type Problem = Place & { member: string; message: string };

const inWords = ({ file, line, member, message }: Problem): string =>
  `${file}:${line}: ${member === "" ? "" : `${member}: `}${message}`;

/** Mistakes in files, all of them. Nothing has been applied. */
export class InvalidFiles extends Error {
  override readonly name = "InvalidFiles";

  constructor(readonly problems: readonly Problem[]) {
    super(
      [
        ...problems.map(inWords),
        problems.length === 1 ? "Nothing was changed." : `${problems.length} problems. Nothing was changed.`,
      ].join("\n"),
    );
  }
}
