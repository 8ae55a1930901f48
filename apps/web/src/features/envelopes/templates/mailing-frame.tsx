import type {
  Mailing,
  MailingPlanRequest,
  MailingPreview,
  MailingRow,
  MailingRowRequest,
  MailingRows,
  Mailings,
} from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../../lib/api/api.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { BottomDock, DockRow } from "../../../ui/editor-frame/editor-frame.tsx";
import { StepBar } from "../../../ui/editor-frame/step-bar.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import styles from "./mailing.module.css";

const MAILINGS = "/api/signature/mailings/";
/** A thousand lines are read and checked within the call. */
const READ_TIMEOUT_MS = 60_000;

export const mailingCalls = {
  read: async (template: string, file: File) =>
    api.post<Mailing>(MAILINGS, {
      body: { template, file: { name: file.name, content: await base64Of(file) } },
      timeoutMs: READ_TIMEOUT_MS,
    }),
  recent: () => api.get<Mailings>(`${MAILINGS}?page_size=20`),
  plan: (id: string, body: MailingPlanRequest) =>
    api.put<Mailing>(`${MAILINGS}${id}/plan/`, { body, timeoutMs: READ_TIMEOUT_MS }),
  rows: (id: string, query: Readonly<Record<string, string | number>>, signal: AbortSignal) =>
    api.get<MailingRows>(`${MAILINGS}${id}/rows/`, { query, signal }),
  preview: (id: string, line: number, signal: AbortSignal) =>
    api.get<MailingPreview>(`${MAILINGS}${id}/rows/${line}/preview/`, { signal }),
  change: (id: string, line: number, body: MailingRowRequest) =>
    api.patch<MailingRow>(`${MAILINGS}${id}/rows/${line}/`, { body }),
  start: (id: string, retry: boolean) =>
    api.post<Mailing>(`${MAILINGS}${id}/start/`, { body: { retry } }),
  stop: (id: string) => api.post<Mailing>(`${MAILINGS}${id}/stop/`),
  report: async (id: string, only?: "faults") => {
    const path = `${MAILINGS}${id}/report/${only === undefined ? "" : `?only=${only}`}`;
    return (await api.request("GET", path, { accept: "text/csv", timeoutMs: 60_000 })).blob();
  },
};

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 32_768)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 32_768)));
  return btoa(parts.join(""));
}

const STEPS = ["Fichier", "Colonnes", "Contrôle", "Envoi"] as const;

type FrameProps = {
  readonly name: string;
  readonly note: string;
  readonly step: number;
  readonly back?: (() => void) | undefined;
  readonly next?: ReactNode;
  readonly children: ReactNode;
};

export function MailingFrame({ name, note, step, back, next, children }: FrameProps) {
  const returns = back && <Button onClick={back}>Retour</Button>;
  return (
    <>
      <StepBar
        label="Envoi par fichier"
        leave={{ to: "/signature/templates", label: "Quitter" }}
        title={name}
        note={<small className="num truncate">{note}</small>}
        steps={{ steps: STEPS, current: step }}
        buttons={
          next && (
            <>
              {returns}
              {next}
            </>
          )
        }
      />
      <main className="main main--form stack" id="contenu">
        {children}
      </main>
      {next ? (
        <BottomDock place="window">
          <DockRow>
            {returns}
            <div className={styles["next"]}>{next}</div>
          </DockRow>
        </BottomDock>
      ) : null}
    </>
  );
}

export type ShownProps = { readonly mailing: Mailing; readonly show: (changed: Mailing) => void };

export function useStart({ mailing, show }: ShownProps) {
  return useMutation({
    mutationFn: (retry: boolean) => mailingCalls.start(mailing.id, retry),
    onSuccess: show,
    onError: (error) => {
      const said = error instanceof ApiError ? Object.values(error.fieldErrors)[0]?.[0] : undefined;
      showToast("err", said ?? callMessage(error, "L’envoi n’a pas pu commencer."));
    },
  });
}

export const mailingNote = ({ file_name, total }: Mailing) =>
  `${file_name}, ${plural(total, "ligne")}`;
