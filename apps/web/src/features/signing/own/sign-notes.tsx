import { useMemo } from "react";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Flag } from "../../../ui/flag/flag.tsx";
import { CopyConsent } from "../../documents/correction/copy-consent.tsx";
import { compareFile } from "./self-sign-calls.ts";
import type { ControlState } from "./use-control.ts";
import { FAILURE, type SignPhase } from "./use-self-sign.ts";

type SignNotesProps = {
  readonly file: File;
  readonly control: ControlState;
  readonly phase: SignPhase;
  /** Something placed would lie over words of the page. */
  readonly isCovering: boolean;
  readonly acceptsCopy: boolean;
  readonly onAccept: (accepts: boolean) => void;
};

/** What is to be known before the press that signs: what was refused, what becomes of the file, what the press means. */
export function SignNotes({ file, control, phase, isCovering, acceptsCopy, onAccept }: SignNotesProps) {
  const findings = control.kind === "done" && control.control.control.result === "fixable" ? control.control.control.findings : [];
  const ask = useMemo(() => (from: number, signal: AbortSignal) => compareFile(file, from, signal), [file]);
  return (
    <>
      {phase.kind === "failed" ? (
        <Alert tone="danger">
          <div>
            <b>{FAILURE}</b>
            <br />
            {phase.reason ?? "Rien n’est perdu\u00a0: votre document et sa signature sont encore là. Réessayez."}
          </div>
        </Alert>
      ) : null}
      {phase.kind === "sealing" ? (
        <Alert tone="info">Votre signature est enregistrée. Le document est en cours de scellement (quelques secondes).</Alert>
      ) : null}
      {findings.length > 0 ? (
        <div id="copie-corrigee" className="stack stack--sm">
          <Alert tone="warning">
            <div>
              <b>Ce PDF doit être corrigé avant d’être signé.</b>
              <ul>
                {findings.map(({ code, detail }) => (
                  <li key={code}>{detail}</li>
                ))}
              </ul>
            </div>
          </Alert>
          <CopyConsent ask={ask} label="J’accepte de signer la copie corrigée" checked={acceptsCopy} onChange={onAccept} />
        </div>
      ) : null}
      <div role="status">{isCovering ? <Flag words="Recouvre du texte" /> : null}</div>
      <p className="muted small">En signant, vous confirmez avoir lu ce document et accepter de le signer électroniquement.</p>
    </>
  );
}
