import { failure, problem, type Result, success } from "@paraphe/contracts";

type File = { readonly field: string; readonly name: string; readonly bytes: Uint8Array };
type Form = { readonly fields: Readonly<Record<string, string>>; readonly files: readonly File[] };
/** Fields of the form that hold JSON. */
const JSON_FIELDS = { placement: "Emplacement illisible", signature: "Signature illisible", fields: "Champs illisibles" } as const;

/** Gives the one file of a form. Errors: `validation` when there is none, or another. */
export function readOwnFile({ files }: Pick<Form, "files">): Result<File> {
  const stray = files.find((file) => file.field !== "file");
  if (stray !== undefined) return invalid(stray.field, "Champ inconnu");
  const [file, second] = files;
  if (file === undefined) return invalid("file", "Au moins un fichier");
  return second === undefined ? success(file) : invalid("file", "Un seul fichier à la fois");
}

/** Gives the fields of a form, those of JSON read. Errors: `validation` for one that is not JSON. */
export function readOwnFields({ fields }: Pick<Form, "fields">): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = { ...fields };
  for (const [name, unreadable] of Object.entries(JSON_FIELDS)) {
    const text = fields[name];
    if (text === undefined) continue;
    try {
      body[name] = JSON.parse(text) as unknown;
    } catch {
      return invalid(name, unreadable);
    }
  }
  return success(body);
}

function invalid(field: string, message: string) {
  return failure(problem("validation", { errors: { [field]: [message] } }));
}
