import {
  type ApiKey,
  type CreatedKey,
  isReadScope,
  KEY_LIVES,
  KEY_SCOPES,
  type KeyRequest,
  type KeyScope,
  MAX_KEY_NAME_LENGTH,
  type ProgramHolder,
} from "@paraphe/contracts";
import { type ReactNode, useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { formatDay } from "../../../lib/format/format-dates.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { SelectField, TextField } from "../../../ui/field/field.tsx";
import { useMayWork } from "../use-session.ts";
import { HolderField } from "./programs-layout.tsx";
import styles from "./keys.module.css";

const SCOPES = Object.entries(KEY_SCOPES) as readonly (readonly [KeyScope, string])[];
const READS_ONLY =
  "Votre rôle de lecteur permet seulement de consulter\u00a0: une clé à vous ne fait que lire.";
const DAY_MS = 86_400_000;

function lifeWords(days: number | null): string {
  if (days === null) return "Sans fin";
  const end = formatDay(new Date(Date.now() + days * DAY_MS).toISOString());
  return `Dans ${days === 365 ? "1 an" : `${days} jours`}, le ${end}`;
}

const listed = (text: string) => text.split(/[\s,;]+/).filter((one) => one !== "");

const HOLDER_WORDS = {
  person: "Le programme agit comme vous, et ne signe rien.",
  team: "Le programme voit, prépare et envoie ce qu’a l’équipe, et rien de ce qui est à vous seul. Vous restez l’expéditeur\u00a0; si vous partez, un autre administrateur de l’équipe prend votre suite.",
  organisation:
    "Le programme voit, prépare et envoie ce qu’ont toutes les équipes, et rien de ce qu’une personne a seule. Vous restez l’expéditeur\u00a0; si vous partez, un propriétaire prend votre suite.",
} as const;

type Props = {
  readonly apiKey?: ApiKey;
  readonly holders: readonly ProgramHolder[];
  readonly save: (body: KeyRequest) => Promise<void>;
  readonly onOldSignIn: () => void;
  readonly onClose: () => void;
};

function useSaving({ save, onOldSignIn }: Props) {
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (body: KeyRequest) => {
    setFailure(undefined);
    const missing = {
      ...(body.name.trim() === "" && { name: "Nom de la clé requis" }),
      ...(body.scopes.length === 0 && { scopes: "Choisissez au moins un droit" }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setIsBusy(true);
    try {
      await save(body);
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiError && error.code === "fresh_sign_in_required")
        return onOldSignIn();
      const named = Object.entries(error instanceof ApiError ? error.fieldErrors : {});
      // A fault in a list names its position too; the form shows it at the list.
      setFaults(
        Object.fromEntries(named.map(([field, said]) => [field.split(".")[0], said.join(" ")])),
      );
      if (named.length === 0) setFailure(callMessage(error, "La clé n’a pas pu être enregistrée."));
    }
  };
  return { submit, faults, failure, isBusy };
}

const FIRST = { name: "", scopes: ["envelopes:read"], addresses: [], origins: [] } as const;

export function KeyDialog(props: Props) {
  const { apiKey, holders } = props;
  const input = useRef<HTMLInputElement>(null);
  const before = apiKey ?? FIRST;
  const [name, setName] = useState<string>(before.name);
  const [scopes, setScopes] = useState<readonly KeyScope[]>(before.scopes);
  const [days, setDays] = useState<KeyRequest["days"]>(365);
  const [holder, setHolder] = useState<string>();
  const [typed, setTyped] = useState(before.addresses.join(", "));
  const [sites, setSites] = useState(before.origins.join(", "));
  const { submit, faults, failure, isBusy } = useSaving(props);
  const addresses = listed(typed);
  const origins = listed(sites);
  return (
    <FormDialog
      title={apiKey === undefined ? "Nouvelle clé d’API" : `Modifier «\u00a0${apiKey.name}\u00a0»`}
      size="lg"
      sheet
      action={apiKey === undefined ? "Créer la clé" : "Enregistrer"}
      initialFocus={input}
      {...{ isBusy, failure }}
      onClose={props.onClose}
      onSubmit={() => {
        if (name.trim() === "") input.current?.focus();
        void submit({ name, scopes: [...scopes], days, addresses, origins, holder });
      }}
    >
      <TextField
        ref={input}
        label="Nom"
        required
        help="Le nom du programme : il figure dans l’historique des enveloppes."
        maxLength={MAX_KEY_NAME_LENGTH}
        value={name}
        error={faults["name"]}
        onChange={(event) => setName(event.target.value)}
      />
      <ScopeChoice {...{ scopes }} fault={faults["scopes"]} onChange={setScopes} />
      {apiKey === undefined && (
        <div className={styles["pair"]}>
          <LifeField {...{ days }} onChange={setDays} />
          <HolderField
            {...{ holders }}
            value={holder}
            error={faults["holder"]}
            words={HOLDER_WORDS}
            onChange={setHolder}
          />
        </div>
      )}
      <Restrictions {...{ typed, sites, faults }} onAddresses={setTyped} onSites={setSites} />
    </FormDialog>
  );
}

type LifeProps = {
  readonly days: KeyRequest["days"];
  readonly onChange: (days: KeyRequest["days"]) => void;
};

function LifeField({ days, onChange }: LifeProps) {
  return (
    <SelectField
      label="Expire"
      value={days ?? ""}
      onChange={({ target }) =>
        onChange(KEY_LIVES.find((one) => String(one ?? "") === target.value) ?? null)
      }
    >
      {KEY_LIVES.map((one) => (
        <option key={one} value={one ?? ""}>
          {lifeWords(one)}
        </option>
      ))}
    </SelectField>
  );
}

type RestrictionsProps = {
  readonly typed: string;
  readonly sites: string;
  readonly faults: Readonly<Record<string, string>>;
  readonly onAddresses: (text: string) => void;
  readonly onSites: (text: string) => void;
};

function Restrictions({ typed, sites, faults, onAddresses, onSites }: RestrictionsProps) {
  return (
    <>
      <TextField
        label="Adresses IP admises"
        optional
        help={"Séparées par des virgules\u00a0: 198.51.100.7, 203.0.113.0/24"}
        spellCheck={false}
        value={typed}
        error={faults["addresses"]}
        onChange={(event) => onAddresses(event.target.value)}
      />
      <TextField
        label="Sites qui affichent la page de signature"
        optional
        help={"Séparés par des virgules\u00a0: https://client.exemple.fr"}
        spellCheck={false}
        value={sites}
        error={faults["origins"]}
        onChange={(event) => onSites(event.target.value)}
      />
    </>
  );
}

type ChoiceProps = {
  readonly scopes: readonly KeyScope[];
  readonly fault: string | undefined;
  readonly onChange: (scopes: readonly KeyScope[]) => void;
};

function ScopeChoice({ scopes, fault, onChange }: ChoiceProps) {
  const mayWork = useMayWork();
  return (
    <fieldset className={styles["rights"]}>
      <legend>Droits</legend>
      {!mayWork && <p className="muted small">{READS_ONLY}</p>}
      {SCOPES.filter(([scope]) => mayWork || isReadScope(scope)).map(([scope, words]) => (
        <Checkbox
          key={scope}
          label={
            <>
              {words}
              <small>{scope}</small>
            </>
          }
          checked={scopes.includes(scope)}
          onChange={({ target }) =>
            onChange(
              target.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope),
            )
          }
        />
      ))}
      {fault && <Alert tone="danger">{fault}</Alert>}
    </fieldset>
  );
}

type CreatedProps = { readonly created: CreatedKey; readonly onClose: () => void };

export function CreatedDialog({ created: { key, secret }, onClose }: CreatedProps) {
  const trial = `curl ${globalThis.location.origin}/api/signature/me/ \\\n  -H "Authorization: Bearer ${secret.slice(0, 12)}…"`;
  return (
    <OnceDialog
      title={`Votre clé «\u00a0${key.name}\u00a0»`}
      boxLabel="J’ai copié cette clé"
      lost="La clé ne sera plus affichée. Il faudrait en créer une autre."
      onClose={onClose}
    >
      <Alert tone="warning">
        Copiez-la maintenant dans votre programme{"\u00a0"}: elle ne sera plus affichée.
      </Alert>
      <CopyField label="Clé secrète" value={secret} />
      <div>
        <p className="small">Premier essai</p>
        <pre className={styles["trial"]}>{trial}</pre>
      </div>
    </OnceDialog>
  );
}

type OnceProps = {
  readonly title: string;
  readonly boxLabel: string;
  readonly lost: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
};

/** The content is shown once: closing before the box is ticked asks first. */
export function OnceDialog({ title, boxLabel, lost, children, onClose }: OnceProps) {
  const [isCopied, setIsCopied] = useState(false);
  const [asks, setAsks] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  return (
    <>
      <Dialog
        title={title}
        sheet
        onClose={() => (isCopied ? onClose() : setAsks(true))}
        actions={
          <Button
            variant="primary"
            aria-disabled={!isCopied || undefined}
            onClick={() => (isCopied ? onClose() : box.current?.focus())}
          >
            Terminer
          </Button>
        }
      >
        {children}
        <Checkbox
          ref={box}
          label={boxLabel}
          checked={isCopied}
          onChange={(event) => setIsCopied(event.target.checked)}
        />
      </Dialog>
      {asks && (
        <ConfirmDialog
          title={"Fermer sans copier\u202f?"}
          message={lost}
          confirmLabel="Fermer"
          cancelLabel="Garder ouvert"
          tone="danger"
          onConfirm={onClose}
          onCancel={() => setAsks(false)}
        />
      )}
    </>
  );
}
