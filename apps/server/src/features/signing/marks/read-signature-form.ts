import { failure, problem, type Result, success } from "@paraphe/contracts";

type Form = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly { readonly field: string; readonly bytes: Uint8Array }[];
};
const BOOLEANS = new Set(["is_default", "remove_background"]);

/**
 * Gives the body that a multipart form stands for: strokes are JSON, the file is `image`, `true` and `false` are words.
 * Errors: `validation` for a field that cannot be read, and for a file of another name.
 */
export function readSignatureForm({ fields, files }: Form): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = { kind: "uploaded", ...fields };
  for (const name of BOOLEANS) {
    if (body[name] === "true" || body[name] === "false") body[name] = body[name] === "true";
  }
  if (fields["strokes"] !== undefined) {
    const strokes = readJson(fields["strokes"]);
    if (strokes === undefined) return failure(problem("validation", { errors: { strokes: ["Tracé illisible"] } }));
    body["strokes"] = strokes;
  }
  const stray = files.find((file) => file.field !== "image");
  if (stray !== undefined) return failure(problem("validation", { errors: { [stray.field]: ["Champ inconnu"] } }));
  const [file, second] = files;
  if (second !== undefined) return failure(problem("validation", { errors: { image: ["Une seule image"] } }));
  // What the file says it is does not count: its content is judged.
  if (file !== undefined) body["image"] = `data:image/png;base64,${Buffer.from(file.bytes).toString("base64")}`;
  return success(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
