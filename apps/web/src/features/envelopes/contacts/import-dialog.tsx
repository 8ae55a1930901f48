import type { ContactImport, ExistingChoice, ImportLine } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { classNames } from "../../../lib/class-names.ts";
import { formatCount, plural } from "../../../lib/format/format-numbers.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { Dropzone } from "../../../ui/dropzone/dropzone.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { contactCalls, contactsKey, importQuery } from "./contact-calls.ts";
import styles from "./contacts.module.css";

type Props = { readonly onClose: () => void };

/** Nothing is imported before « Importer 211 contacts »; what was read waits for a day. */
export function ImportDialog({ onClose }: Props) {
  const client = useQueryClient();
  const { data, isPending } = useQuery(importQuery);
  const [isAnother, setIsAnother] = useState(false);
  const wasRunning = useRef(false);
  const leave = useEffectEvent(onClose);
  useEffect(() => {
    if (data?.state === "running") wasRunning.current = true;
    else if (wasRunning.current && data?.state === "done") leave();
  }, [data?.state]);
  const show = (found: ContactImport) => {
    client.setQueryData(importQuery.queryKey, found);
    setIsAnother(false);
  };
  if (data?.state === "running") return <Running found={data} onClose={onClose} />;
  if (data?.state === "ready" && !isAnother)
    return <Preview found={data} onAnother={() => setIsAnother(true)} {...{ show, onClose }} />;
  return <ChooseFile isPending={isPending} onRead={show} onClose={onClose} />;
}

const TITLE = "Importer des contacts";
const NOT_READ = "Fichier non reconnu";

type ChooseProps = Props & {
  readonly isPending: boolean;
  readonly onRead: (found: ContactImport) => void;
};

function ChooseFile({ isPending, onRead, onClose }: ChooseProps) {
  const [reading, setReading] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const current = new AbortController();
    leaving.current = current;
    return () => current.abort();
  }, []);
  const read = async ([file]: readonly File[]) => {
    if (file === undefined) return;
    const { signal } = leaving.current;
    setFailure(undefined);
    setReading(file.name);
    try {
      onRead(await contactCalls.read(file, signal));
    } catch (error) {
      if (signal.aborted) return;
      setReading(undefined);
      const told = error instanceof ApiError ? error.fieldErrors["file"]?.join(" ") : undefined;
      setFailure(told ?? callMessage(error, "Le fichier n’a pas pu être lu."));
    }
  };
  return (
    <Dialog
      title={TITLE}
      size="lg"
      sheet
      onClose={onClose}
      actions={<Button onClick={onClose}>Annuler</Button>}
    >
      <div className="stack">
        {failure !== undefined && (
          <Alert tone="danger" title={NOT_READ}>
            <p>{failure}</p>
          </Alert>
        )}
        {isPending || reading !== undefined ? (
          <SkeletonRows rows={3} label={reading === undefined ? TITLE : `Lecture de ${reading}`} />
        ) : (
          <Dropzone
            title="Déposez un fichier CSV ou vCard"
            accept=".csv,.tsv,.txt,.vcf,.vcard,text/csv,text/vcard"
            hint={`Exporté de votre messagerie ou d’un tableur, ${formatCount(50_000)} lignes au maximum. Rien n’est ajouté avant votre accord.`}
            onFiles={(files) => void read(files)}
          />
        )}
      </div>
    </Dialog>
  );
}

type PreviewProps = Props & {
  readonly found: ContactImport;
  readonly show: (found: ContactImport) => void;
  readonly onAnother: () => void;
};

const CHOICES: readonly { readonly value: ExistingChoice; readonly label: string }[] = [
  { value: "complete", label: "Compléter ce qui manque" },
  { value: "replace", label: "Remplacer" },
  { value: "skip", label: "Ne pas y toucher" },
];
const KNOWN: Readonly<Record<ExistingChoice, { one: string; many: string; line: string }>> = {
  complete: { one: "complété", many: "complétés", line: "sera complété" },
  replace: { one: "remplacé", many: "remplacés", line: "sera remplacé" },
  skip: { one: "laissé", many: "laissés", line: "ne changera pas" },
};

function usePreview({ show, onClose }: Pick<PreviewProps, "show" | "onClose">) {
  const client = useQueryClient();
  const [existing, setExisting] = useState<ExistingChoice>("complete");
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState<"start" | "drop">();
  const start = async () => {
    setBusy("start");
    try {
      const begun = await contactCalls.start(existing);
      show(begun);
      if (begun.state !== "done") return;
      onClose();
      showToast("ok", plural(begun.written_count, "contact importé", "contacts importés"));
      void client.invalidateQueries({ queryKey: ["suggestions"] });
      await client.invalidateQueries({ queryKey: contactsKey });
    } catch (error) {
      setBusy(undefined);
      setFailure(callMessage(error, "L’import n’a pas pu commencer. Rien n’a été ajouté."));
    }
  };
  const drop = async () => {
    setBusy("drop");
    try {
      await contactCalls.forget();
      client.setQueryData(importQuery.queryKey, null);
      onClose();
      showToast("ok", "Fichier oublié, rien n’a été importé");
    } catch (error) {
      setBusy(undefined);
      setFailure(callMessage(error, "Le fichier n’a pas pu être oublié."));
    }
  };
  const download = async () => {
    try {
      saveBlob(await contactCalls.faults(), "contacts-a-revoir.csv");
    } catch (error) {
      setFailure(callMessage(error, "Les fautes n’ont pas pu être téléchargées."));
    }
  };
  return { existing, setExisting, failure, busy, start, drop, download };
}

function Preview({ found, show, onAnother, onClose }: PreviewProps) {
  const { existing, setExisting, failure, busy, ...act } = usePreview({ show, onClose });
  const { new_count, known_count } = found;
  const count = new_count + (existing === "skip" ? 0 : known_count);
  const hasNotes = found.lines.some(({ note }) => note !== null);
  return (
    <Dialog
      title={TITLE}
      size="lg"
      sheet
      locked={busy !== undefined}
      onClose={onClose}
      actions={
        <>
          {hasNotes && (
            <Button variant="ghost" onClick={() => void act.download()}>
              <Icon name="download" size="sm" />
              Télécharger les fautes
            </Button>
          )}
          <Button
            loading={busy === "drop"}
            blocked={busy === "start"}
            onClick={() => void act.drop()}
          >
            Oublier ce fichier
          </Button>
          <Button
            variant="primary"
            loading={busy === "start"}
            blocked={busy === "drop"}
            disabled={count === 0}
            onClick={() => void act.start()}
          >
            {count === 0 ? "Rien à importer" : `Importer ${plural(count, "contact")}`}
          </Button>
        </>
      }
    >
      <div className="stack">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <p>
          {readWords(found)} <LinkAction onClick={onAnother}>Choisir un autre fichier</LinkAction>
        </p>
        <p className="muted small">
          Rien n’est encore importé. Si vous fermez cette fenêtre, le fichier vous attend un jour.
        </p>
        <Figures {...{ found, existing }} />
        <Lines {...{ found, existing }} />
        {known_count > 0 && <ExistingSelect value={existing} onChange={setExisting} />}
      </div>
    </Dialog>
  );
}

type ExistingSelectProps = {
  readonly value: ExistingChoice;
  readonly onChange: (value: ExistingChoice) => void;
};

function ExistingSelect({ value, onChange }: ExistingSelectProps) {
  return (
    <SelectField
      label="Si le contact existe"
      value={value}
      onChange={(event) => onChange(event.target.value as ExistingChoice)}
    >
      {CHOICES.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </SelectField>
  );
}

const SEPARATORS = { ",": "virgules", ";": "points-virgules", tab: "tabulations" } as const;
const ENCODINGS = {
  "utf-8": "accents reconnus",
  "windows-1252": "accents de Windows reconnus",
  "utf-16": "accents reconnus",
} as const;

function readWords({ file_name, format, line_count, separator, encoding }: ContactImport): string {
  const what =
    format === "vcard"
      ? plural(line_count, "fiche vCard", "fiches vCard")
      : plural(line_count, "ligne");
  const cut = separator === null ? "" : `, séparées par des ${SEPARATORS[separator]}`;
  return `${file_name} · ${what}${cut}, ${ENCODINGS[encoding]}.`;
}

function Figures({ found, existing }: LinesProps) {
  const { line_count, new_count, known_count, refused_count } = found;
  const doubles = line_count - new_count - known_count - refused_count;
  return (
    <div className={styles["figures"]}>
      <Figure count={new_count} one="nouveau" many="nouveaux" />
      <Figure count={known_count} one={KNOWN[existing].one} many={KNOWN[existing].many} />
      {doubles > 0 && <Figure count={doubles} one="en double, réuni" many="en double, réunis" />}
      <Figure count={refused_count} one="refusé" many="refusés" isBad />
    </div>
  );
}

type FigureProps = {
  readonly count: number;
  readonly one: string;
  readonly many: string;
  readonly isBad?: true;
};

function Figure({ count, one, many, isBad }: FigureProps) {
  return (
    <div>
      <b className={classNames(isBad && count > 0 && styles["bad"])}>{formatCount(count)}</b>
      <span>{count > 1 ? many : one}</span>
    </div>
  );
}

type LinesProps = { readonly found: ContactImport; readonly existing: ExistingChoice };

function Lines({ found, existing }: LinesProps) {
  const { lines, refused_count } = found;
  const shown = lines.filter(({ state }) => state === "refused").length;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A scrolled region is reached by keyboard (WCAG 2.1.1) */}
      <div className={styles["lines"]} tabIndex={0} role="region" aria-label="Lignes du fichier">
        <table>
          <caption className="sr">Lignes à revoir, puis les premières du fichier</caption>
          <thead>
            <tr>
              <th scope="col">Ligne</th>
              <th scope="col">Contact</th>
              <th scope="col">État</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr
                key={line.line}
                className={classNames(line.state === "refused" && styles["refused"])}
              >
                <td className="num muted">{line.line}</td>
                <td>
                  <b>{line.full_name || "(sans nom)"}</b>
                  <span className="muted small break">{line.email || "(sans adresse)"}</span>
                </td>
                <td>
                  <LineState {...{ line, existing }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {refused_count > shown && (
        <p className="muted small">{`Et ${plural(refused_count - shown, "autre faute", "autres fautes")}, dans le fichier à télécharger.`}</p>
      )}
    </>
  );
}

function LineState({
  line,
  existing,
}: { readonly line: ImportLine } & Pick<LinesProps, "existing">) {
  if (line.state === "refused")
    return (
      <span className={classNames(styles["state"], styles["bad"])}>
        <Icon name="alert" size="sm" />
        {line.note}
      </span>
    );
  const known = line.state === "known" ? `Existe déjà\u00a0: ${KNOWN[existing].line}` : undefined;
  const words = [known, line.note].filter(Boolean).join(". ");
  if (words === "")
    return (
      <span className={classNames(styles["state"], styles["good"])}>
        <Icon name="check" size="sm" />
        Nouveau
      </span>
    );
  return (
    <span className={classNames(styles["state"], styles["warned"])}>
      <Icon name="warning" size="sm" />
      {words}
    </span>
  );
}

function Running({ found, onClose }: Props & { readonly found: ContactImport }) {
  const total = found.new_count + found.known_count;
  const percent = total === 0 ? 0 : Math.min(100, Math.floor((100 * found.written_count) / total));
  const words = `${formatCount(found.written_count)} contacts sur ${formatCount(total)}`;
  return (
    <Dialog
      title={TITLE}
      size="lg"
      sheet
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Fermer
        </Button>
      }
    >
      <div className="stack">
        <p role="status">{`${words}. L’import continue si vous fermez cette page.`}</p>
        <ProgressBar percent={percent} label={words} size="lg" />
      </div>
    </Dialog>
  );
}
