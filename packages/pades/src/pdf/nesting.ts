import { PadesError } from "../pades-error.ts";
import { stringEnd } from "../pdf/string-end.ts";

const MAX_DEPTH = 256;
const TOKEN = /\(|<<|>>|<[0-9A-Fa-f\s]*>|\[|\]|%[^\r\n]*|\bstream\r?\n|\bendobj\b/g;

/**
 * Refuses objects nested deeper than any producer makes, before anything parses them: a parser gives such an object up in silence,
 * and what it holds would not be looked at.
 * Errors: PadesError `pdf_too_complex`.
 */
export function requireBearableNesting(text: string): void {
  let depth = 0;
  // Looked for no more once there is none: a file may begin a stream a hundred thousand times and end none.
  let streamEnd = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word === "(") TOKEN.lastIndex = stringEnd(text, token.index);
    else if (word === "<<" || word === "[") depth += 1;
    else if (word === ">>" || word === "]") depth = Math.max(0, depth - 1);
    else if (word === "endobj") depth = 0;
    else if (word.startsWith("stream")) {
      if (streamEnd >= 0 && streamEnd < token.index) streamEnd = text.indexOf("endstream", token.index);
      if (streamEnd >= 0) TOKEN.lastIndex = streamEnd;
    }
    if (depth > MAX_DEPTH) throw new PadesError("pdf_too_complex", `Expected at most ${MAX_DEPTH} levels of nesting`);
  }
}
