import {
  givenInstantSchema,
  idSchema,
  listEnvelopesQuery,
  type Problem,
  type ProblemCode,
  programSentence,
  type Result,
  type StoredStatus,
} from "@paraphe/contracts";
import * as z from "zod/mini";
import { outcomeOf } from "../domain/envelope.ts";

type Data = Readonly<Record<string, unknown>>;
export type ApiReply = {
  readonly status: number;
  readonly type: string;
  readonly json: unknown;
  readonly bytes: Uint8Array;
};
/** A call of the API with the caller's key: its scopes, limits and journal hold. */
export type Call = (
  method: "GET" | "POST",
  path: string,
  more?: {
    readonly body?: Data;
    readonly version?: number | undefined;
    readonly as?: "anybody";
  },
) => Promise<ApiReply>;
export type CallApi = Call & {
  readonly publicUrl: string;
  checkReadyToSend(id: string): Promise<Result<null>>;
};

type Content =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };
export type ToolResult = {
  readonly content: readonly Content[];
  readonly structuredContent?: Data;
  readonly isError?: true;
};

/** What a person confirms. `version`: of the envelope that was shown. */
type Question = { readonly text: string; readonly shown: Data; readonly version: number };

const pdfName = z.string().check(z.describe("Ends in .pdf"));

type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodMiniType;
  readonly annotations: Readonly<
    Record<`${"readOnly" | "destructive" | "idempotent"}Hint`, boolean>
  >;
  ask?(call: CallApi, input: Data): Promise<Question>;
  run(call: CallApi, input: Data, version?: number): Promise<ToolResult>;
};

export class RefusedCallError extends Error {
  override readonly name = "RefusedCallError";
}

const ENVELOPES = "/api/signature/envelopes/";
const pathOf = ({ id }: Data, rest = ""): string => `${ENVELOPES}${String(id)}/${rest}`;

async function ask<T>(call: Call, ...words: Parameters<Call>): Promise<T> {
  const { status, json } = await call(...words);
  if (status < 300) return json as T;
  const { detail, ...refusal } = json as Problem & { readonly detail: string };
  throw new RefusedCallError(inToolWords(refusal, detail));
}

/** Where the API's words name a path, a header or a member of an answer. */
const TOOL_SENTENCES: Readonly<Partial<Record<ProblemCode, string>>> = {
  validation: "Corrigez ces arguments, puis rappelez l’outil.",
  not_found:
    "Le compte de cette clé n’a aucune enveloppe de cet «\u00a0id\u00a0». list_envelopes les donne.",
  not_completed: "L’enveloppe n’est pas terminée. follow_envelope dit qui n’a pas signé.",
  version_conflict:
    "L’enveloppe a changé depuis la question. Rappelez l’outil, qui la montrera de nouveau.",
  not_a_pdf:
    "Un fichier n’est pas un PDF\u00a0: son nom finit par «\u00a0.pdf\u00a0», et son contenu est celui d’un PDF.",
  file_too_large: "Un fichier dépasse 10\u00a0Mo.",
  envelope_too_large:
    "L’enveloppe dépasse 50\u00a0Mo ou 20\u00a0documents. Envoyez moins de fichiers.",
  request_too_large:
    "Les fichiers en base64 dépassent 10\u00a0Mo en tout. Envoyez-les d’avance, puis nommez-les par «\u00a0upload_id\u00a0».",
  copy_to_accept:
    "Un PDF doit être corrigé avant d’être signé\u00a0: une personne accepte la copie corrigée sur la page du brouillon, ou recréez-le avec un autre fichier.",
  too_many_requests: "Trop de demandes. Rappelez l’outil dans une minute.",
  service_unavailable:
    "Le service est momentanément indisponible. Rappelez l’outil dans un instant.",
  internal: "Une erreur inattendue est survenue. Rappelez l’outil dans un instant.",
};

export const toolRefusal = (refusal: Problem): string =>
  inToolWords(refusal, programSentence(refusal));

function inToolWords({ code, errors = {} }: Pick<Problem, "code" | "errors">, detail: string) {
  const words = TOOL_SENTENCES[code] ?? detail.replace("(PATCH)", "sur sa page");
  const faults = Object.entries(errors).map(([name, all]) => `${name}: ${all.join(" ")}`);
  return [`${words} (${code})`, ...faults].join("\n");
}

/** Invisible and bidirectional marks, which hide instructions from the person who reads. */
const HIDDEN = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const clean = (text: string): string => text.replace(HIDDEN, "");

export function textResult(data: Data): ToolResult {
  const text = clean(JSON.stringify(data));
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as Data };
}

type Envelope = {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly status: StoredStatus;
  readonly returned?: Data;
  readonly message: string | null;
  readonly created_at: string;
  readonly deadline_at: string | null;
  readonly completed_at: string | null;
  readonly progress: Data;
  readonly documents: readonly {
    readonly name: string;
    readonly page_count: number;
    readonly control: Data;
  }[];
  readonly recipients: readonly {
    readonly full_name: string;
    readonly email: string;
    readonly role: string;
    readonly status: string;
    readonly decline_reason: string | null;
  }[];
};

function present(envelope: Envelope): Data {
  const { id, title, status, created_at, deadline_at, completed_at, progress, returned } = envelope;
  return {
    id,
    title,
    status,
    ...(returned === undefined ? {} : { returned }),
    created_at,
    deadline_at,
    completed_at,
    progress,
    documents: envelope.documents.map(({ name, page_count }) => ({ name, page_count })),
    recipients: envelope.recipients.map(
      ({ full_name, email, role, status: own, decline_reason }) => ({
        full_name,
        email,
        role,
        status: own,
        ...(decline_reason === null ? {} : { decline_reason }),
      }),
    ),
  };
}

const one = z.strictObject({ id: idSchema });
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true } as const;
const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false } as const;
const ENDS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false } as const;
const confirmation = z.optional(
  z.string().check(z.maxLength(200), z.describe("The token of this tool's earlier answer.")),
);

const people = ({ recipients }: Envelope): string =>
  recipients.map(({ full_name, email }) => `${full_name} <${email}>`).join(", ");

const questionOf = async (
  call: CallApi,
  input: Data,
  action: "send" | "cancel",
  sentence: (envelope: Envelope) => string,
): Promise<Question> => {
  const envelope = await ask<Envelope>(call, "GET", pathOf(input));
  const allowed = outcomeOf(envelope.status, action);
  if (!allowed.ok) throw new RefusedCallError(toolRefusal(allowed.error));
  const ready = action === "send" ? await call.checkReadyToSend(envelope.id) : allowed;
  if (!ready.ok) throw new RefusedCallError(toolRefusal(ready.error));
  return {
    text: clean(sentence(envelope)).replace(/[\t\n\r ]+/g, " "),
    shown: present(envelope),
    version: envelope.version,
  };
};

export const TOOLS: readonly Tool[] = [
  {
    name: "list_envelopes",
    title: "Enveloppes",
    description: "Lists the envelopes of the key's account, newest first, 20 a page.",
    input: z.strictObject({
      status: listEnvelopesQuery.shape.status,
      search: z.optional(z.string().check(z.maxLength(200))),
      page: z.optional(z.int().check(z.minimum(1))),
    }),
    annotations: READS,
    async run(call, input) {
      const asked = Object.entries({ page_size: 20, ...input }).map(([name, value]) => [
        name,
        String(value),
      ]);
      const query = new URLSearchParams(Object.fromEntries(asked) as Record<string, string>);
      const list = await ask<{ count: number; page: number; results: readonly Envelope[] }>(
        call,
        "GET",
        `${ENVELOPES}?${query}`,
      );
      return textResult({
        count: list.count,
        page: list.page,
        envelopes: list.results.map(present),
      });
    },
  },
  {
    name: "create_draft",
    title: "Nouveau brouillon",
    description:
      'Creates a draft envelope from PDF files. It sends nothing: send_envelope does, once a person has confirmed. A file is given as base64, or sent ahead, which suits a file on disk: POST its bytes with the same key to /api/signature/uploads/?name=Bail.pdf on this host (curl -H "Authorization: Bearer …" -H "Content-Type: application/pdf" --data-binary @Bail.pdf); its answer\'s id, good for 24 hours and for one envelope, is the upload_id.',
    input: z.strictObject({
      title: z.string(),
      message: z.optional(z.string()),
      deadline_at: z.optional(givenInstantSchema),
      flow: z.optional(z.enum(["parallel", "sequential"])),
      team: z.optional(idSchema),
      recipients: z.array(
        z.strictObject({
          full_name: z.string(),
          email: z.string(),
          role: z.optional(z.enum(["signer", "approver", "viewer"])),
        }),
      ),
      files: z.array(
        z.union(
          [
            z.strictObject({
              name: pdfName,
              content: z.string().check(z.describe("The PDF in base64, 10 MB at most in all.")),
            }),
            z.strictObject({
              upload_id: idSchema.check(z.describe("The id of a file sent ahead, 10 MB at most.")),
              name: z.optional(pdfName),
            }),
          ],
          "«\u00a0name\u00a0» et «\u00a0content\u00a0» en base64, ou l’«\u00a0upload_id\u00a0» d’un fichier envoyé d’avance",
        ),
      ),
    }),
    annotations: ADDS,
    async run(call, input) {
      const envelope = await ask<Envelope>(call, "POST", ENVELOPES, { body: input });
      const controls = envelope.documents.map(({ name, control }) => ({ name, ...control }));
      return textResult({ ...present(envelope), controls });
    },
  },
  {
    name: "send_envelope",
    title: "Envoyer",
    description:
      "Sends a draft: its recipients get a mail. A person confirms first; where the client cannot ask, the first call answers with a token to show them, and sends nothing.",
    input: z.strictObject({ id: idSchema, message: z.optional(z.string()), confirmation }),
    annotations: ADDS,
    ask: (call, input) =>
      questionOf(call, input, "send", (envelope) => {
        const { title, documents } = envelope;
        const message =
          typeof input["message"] === "string"
            ? ` Message\u00a0: «\u00a0${input["message"]}\u00a0».`
            : "";
        return `Envoyer «\u00a0${title}\u00a0» (${documents.map(({ name }) => name).join(", ")}) à ${people(envelope)}\u202f?${message}`;
      }),
    async run(call, input, version) {
      const { message } = input;
      const more = { body: message === undefined ? {} : { message }, version };
      return textResult(present(await ask<Envelope>(call, "POST", pathOf(input, "send/"), more)));
    },
  },
  {
    name: "cancel_envelope",
    title: "Annuler",
    description:
      "Cancels an envelope: its links stop working and its recipients are told. A person confirms first, as for send_envelope.",
    input: z.strictObject({ id: idSchema, confirmation }),
    annotations: ENDS,
    ask: (call, input) =>
      questionOf(call, input, "cancel", (envelope) => {
        const title = `«\u00a0${envelope.title}\u00a0»`;
        if (envelope.returned !== undefined)
          return `Annuler ${title}, renvoyée à son expéditeur\u202f? Les personnes déjà sollicitées sont prévenues que la demande est annulée.`;
        return envelope.status === "draft"
          ? `Annuler le brouillon ${title}, qui n’est pas envoyé\u202f?`
          : `Annuler ${title}, envoyée à ${people(envelope)}\u202f?`;
      }),
    run: async (call, input, version) =>
      textResult(present(await ask<Envelope>(call, "POST", pathOf(input, "cancel/"), { version }))),
  },
  {
    name: "follow_envelope",
    title: "Suivre",
    description:
      "Where an envelope stands: each recipient's status, the latest events of its history, and why it was sent back.",
    input: one,
    annotations: READS,
    async run(call, input) {
      const envelope = await ask<Envelope>(call, "GET", pathOf(input));
      const { results } = await ask<{
        results: readonly { at: string; actor: string; action: string; detail: Data }[];
      }>(call, "GET", pathOf(input, "events/?page_size=20"));
      const events = results.map(({ at, actor, action, detail: { reason } }) => ({
        at,
        actor,
        action,
        ...(typeof reason === "string" ? { reason } : {}),
      }));
      return textResult({ ...present(envelope), events });
    },
  },
  {
    name: "fetch_proof",
    title: "Preuve",
    description:
      "The proof of a completed envelope: `link` gives an address of the signed file for 5 minutes; `signed` and `evidence` give the file itself (PDF).",
    input: z.strictObject({
      id: idSchema,
      what: z._default(z.enum(["link", "signed", "evidence"]), "link"),
    }),
    annotations: READS,
    async run(call, input) {
      const what = input["what"];
      const link = await ask<{ download_url: string; file_name: string }>(
        call,
        "GET",
        pathOf(input, "download/"),
      );
      const download_url = new URL(link.download_url, call.publicUrl).href;
      if (what === "link") return textResult({ ...link, download_url, valid_minutes: 5 });
      const path = what === "signed" ? link.download_url : pathOf(input, "evidence/");
      // The link has a token of its own.
      const file = await call("GET", path, what === "signed" ? { as: "anybody" } : {});
      if (file.status >= 300) await ask(async () => file, "GET", path);
      const blob = Buffer.from(file.bytes).toString("base64");
      return {
        content: [
          { type: "resource", resource: { uri: `paraphe:${path}`, mimeType: file.type, blob } },
        ],
      };
    },
  },
];
