import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { openPage } from "../../accounts/settings/testing/open-page.tsx";
import { SelfSignPage } from "./self-sign-page.tsx";
import { signedName, useSelfSign } from "./use-self-sign.ts";

const FILE = new File(["%PDF-1.7"], "contrat.pdf", { type: "application/pdf", lastModified: 1 });
const ASKED = {
  file: FILE,
  title: "Contrat",
  placement: { page: 1, x: 0.5, y: 0.5, width: 0.3, height: 0.1 },
  acceptsCopy: false,
  fields: [],
  mark: {
    mark: { kind: "typed", text: "Zoé", font: "caveat" },
    look: { kind: "text", text: "Zoé", font: "caveat" },
  },
} as const;
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
);
const toasts = () => currentToasts().map(({ kind, message }) => [kind, message]);

let calls: { readonly url: string; readonly key: string | null; readonly form: FormData }[] = [];
/** Answers of the service, in their order. */
function serve(...answers: (Response | "silence")[]): void {
  calls = [];
  document.cookie = "csrftoken=x";
  vi.stubGlobal(
    "fetch",
    async (url: string, { headers, body }: { headers: Headers; body: FormData }) => {
      calls.push({ url: new URL(url).pathname, key: headers.get("idempotency-key"), form: body });
      const answer = answers.shift() ?? "silence";
      if (answer === "silence") throw new TypeError("no network");
      return answer;
    },
  );
}
const pdf = () =>
  new Response("%PDF-signed", {
    status: 200,
    headers: { "x-envelope-id": "e1", "content-type": "application/pdf" },
  });
const refused = (status: number, body: object) => Response.json(body, { status });

beforeEach(() => {
  URL.createObjectURL = () => "blob:x";
  URL.revokeObjectURL = () => undefined;
});
afterEach(() => {
  cleanup();
  act(clearToasts);
  vi.unstubAllGlobals();
});

async function signOnce() {
  const { result } = renderHook(() => useSelfSign(), { wrapper });
  await act(() => result.current.sign(ASKED));
  return result;
}

it("sends file, place, mark and consent, and saves the signed file under the title's slug", async () => {
  serve(pdf());
  const result = await signOnce();
  expect(result.current.phase).toMatchObject({ kind: "signed", envelopeId: "e1" });
  const { file, ...fields } = Object.fromEntries(calls[0]?.form ?? []);
  expect(calls[0]?.url).toBe("/api/signature/self-sign/");
  expect(fields).toEqual({
    title: "Contrat",
    placement: JSON.stringify(ASKED.placement),
    signature: JSON.stringify(ASKED.mark.mark),
    consent: "true",
  });
  expect(file).toMatchObject({ name: "contrat.pdf" });
  expect(signedName("Contrat n° 7 – été")).toMatch(/^contrat-n.*7.*ete_signe\.pdf$/);
});

it("shows the fixed failure words with the service's reason", async () => {
  serve(refused(422, { code: "pdf_damaged", detail: "Ce PDF est endommagé" }));
  const result = await signOnce();
  expect(result.current.phase).toEqual({ kind: "failed", reason: "Ce PDF est endommagé" });
  expect(toasts()).toEqual([["err", "Impossible de signer le document"]]);
});

it("says what to do when the mark was refused", async () => {
  const outside =
    "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.";
  serve(
    refused(400, {
      code: "validation",
      detail: "Certaines informations…",
      errors: { "signature.strokes.0.3.1": [outside] },
    }),
  );
  const result = await signOnce();
  expect(result.current.phase).toEqual({ kind: "failed", reason: outside });
});

it("retries under the same key after a silence, under another after a refusal", async () => {
  serve("silence", refused(400, { code: "validation", detail: "Non" }), pdf());
  const { result } = renderHook(() => useSelfSign(), { wrapper });
  for (let press = 0; press < 3; press++) await act(() => result.current.sign(ASKED));
  const keys = calls.map(({ key }) => key);
  expect(keys[0]).not.toBeNull();
  expect([keys[1] === keys[0], keys[2] === keys[1]]).toEqual([true, false]);
  expect(result.current.phase.kind).toBe("signed");
});

it("waits for the seal of a recorded signature, then gives the file", async () => {
  serve(
    refused(503, {
      code: "timestamp_unavailable",
      detail: "Le service d’horodatage ne répond pas.",
      envelope_id: "e2",
    }),
    Response.json({ status: "sent" }),
    Response.json({ status: "completed" }),
    pdf(),
  );
  const result = await signOnce();
  expect(result.current.phase).toMatchObject({ kind: "signed", envelopeId: "e2" });
  expect(calls.map(({ url }) => url).at(-1)).toBe("/api/signature/envelopes/e2/signed-document/");
});

it("refuses a file that is no PDF, empty or too large, and shows the service's reason", async () => {
  const user = userEvent.setup({ applyAccept: false });
  serve(
    refused(422, {
      code: "pdf_encrypted",
      detail: "Ce PDF est protégé",
      errors: { file: ["Ce PDF est protégé par un mot de passe."] },
    }),
  );
  openPage(<SelfSignPage />);
  const input = await screen.findByLabelText("Déposez votre PDF ici");
  for (const [file, words] of [
    [new File(["x"], "photo.png"), "Seuls les fichiers PDF sont autorisés"],
    [new File([], "vide.pdf"), "Le fichier est vide"],
    [
      new File([new Uint8Array(10_485_761)], "gros.pdf"),
      "Le fichier est trop volumineux (max 10MB)",
    ],
  ] as const) {
    await user.upload(input, file);
    expect(await screen.findByText(new RegExp(words.replace(/[()]/g, "\\$&")))).toBeTruthy();
  }
  await user.upload(input, FILE);
  await waitFor(() =>
    expect(screen.getByText(/Ce PDF est protégé par un mot de passe/)).toBeTruthy(),
  );
  expect(screen.getByText("contrat.pdf")).toBeTruthy();
});
