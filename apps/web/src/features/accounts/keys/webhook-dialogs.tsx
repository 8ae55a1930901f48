import type { ProgramHolder } from "@paraphe/contracts";
import {
  type Webhook,
  WEBHOOK_TYPES,
  notAnAddress,
  type WebhookRequest,
  type WebhookSecret,
  type WebhookType,
} from "@paraphe/contracts/webhooks";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { CopyField } from "../../../ui/copy-field/copy-field.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { OnceDialog } from "./key-dialogs.tsx";
import { HolderField } from "./programs-layout.tsx";
import styles from "./keys.module.css";

const TYPES = Object.entries(WEBHOOK_TYPES) as readonly (readonly [WebhookType, string])[];
const FIRST: readonly WebhookType[] = ["envelope.sent", "envelope.completed", "recipient.declined"];

const HOLDER_WORDS = {
  person: "Prévient des enveloppes dont vous êtes l’expéditeur.",
  team: "Prévient de toutes les enveloppes de l’équipe. Ses administrateurs gèrent ce webhook.",
  organisation:
    "Prévient des enveloppes de toutes les équipes. Les administrateurs gèrent ce webhook.",
} as const;

type Props = {
  readonly webhook?: Webhook;
  readonly holders?: readonly ProgramHolder[];
  readonly save: (body: WebhookRequest) => Promise<void>;
  readonly onOldSignIn: () => void;
  readonly onClose: () => void;
};

function useSaving({ save, onOldSignIn }: Props) {
  const [faults, setFaults] = useState<Readonly<Record<string, string | undefined>>>({});
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async ({ url, types, holder }: WebhookRequest) => {
    setFailure(undefined);
    const missing = {
      ...(!URL.canParse(url) && { url: notAnAddress }),
      ...(types.length === 0 && { types: "Choisissez au moins un événement" }),
    };
    setFaults(missing);
    if (Object.keys(missing).length > 0) return;
    setIsBusy(true);
    try {
      await save({ url, types, holder });
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiError && error.code === "fresh_sign_in_required")
        return onOldSignIn();
      const named = Object.entries(error instanceof ApiError ? error.fieldErrors : {});
      setFaults(Object.fromEntries(named.map(([field, said]) => [field, said.join(" ")])));
      if (named.length === 0)
        setFailure(callMessage(error, "Le webhook n’a pas pu être enregistré."));
    }
  };
  return { submit, faults, failure, isBusy };
}

export function WebhookDialog(props: Props) {
  const { webhook, holders = [], onClose } = props;
  const input = useRef<HTMLInputElement>(null);
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [types, setTypes] = useState<readonly WebhookType[]>(webhook?.types ?? FIRST);
  const [holder, setHolder] = useState<string>();
  const { submit, faults, failure, isBusy } = useSaving(props);
  return (
    <FormDialog
      title={webhook === undefined ? "Nouveau webhook" : "Modifier le webhook"}
      size="lg"
      sheet
      action={webhook === undefined ? "Créer le webhook" : "Enregistrer"}
      initialFocus={input}
      {...{ isBusy, failure, onClose }}
      onSubmit={() => {
        if (!URL.canParse(url.trim())) input.current?.focus();
        void submit({ url: url.trim(), types: [...types], holder });
      }}
    >
      <TextField
        ref={input}
        label="Adresse"
        required
        type="url"
        spellCheck={false}
        help={"Publique, en https. Chaque envoi attend une réponse pendant 5\u00a0secondes."}
        value={url}
        error={faults["url"]}
        onChange={(event) => setUrl(event.target.value)}
      />
      <HolderField
        {...{ holders }}
        value={holder}
        error={faults["holder"]}
        words={HOLDER_WORDS}
        onChange={setHolder}
      />
      <TypeChoice {...{ types }} fault={faults["types"]} onChange={setTypes} />
    </FormDialog>
  );
}

type ChoiceProps = {
  readonly types: readonly WebhookType[];
  readonly fault: string | undefined;
  readonly onChange: (types: readonly WebhookType[]) => void;
};

function TypeChoice({ types, fault, onChange }: ChoiceProps) {
  const choose = (type: WebhookType, isChosen: boolean) =>
    onChange(
      TYPES.map(([one]) => one).filter((one) => (one === type ? isChosen : types.includes(one))),
    );
  return (
    <fieldset className={styles["rights"]}>
      <legend>Événements</legend>
      {TYPES.map(([type, words]) => (
        <Checkbox
          key={type}
          label={
            <>
              {words}
              <small>{type}</small>
            </>
          }
          checked={types.includes(type)}
          onChange={({ target }) => choose(type, target.checked)}
        />
      ))}
      {fault && <Alert tone="danger">{fault}</Alert>}
    </fieldset>
  );
}

type SecretProps = { readonly made: WebhookSecret; readonly onClose: () => void };

export function SecretDialog({ made: { webhook, secret }, onClose }: SecretProps) {
  return (
    <OnceDialog
      title="Secret du webhook"
      boxLabel="J’ai copié ce secret"
      lost="Le secret ne sera plus affiché. Il faudrait le remplacer."
      onClose={onClose}
    >
      <Alert tone="warning">
        Copiez-le maintenant dans votre programme{"\u00a0"}: il ne sera plus affiché.
      </Alert>
      <CopyField label="Secret" value={secret} />
      <CopyField label="Clé publique (Ed25519, facultative)" value={webhook.public_key} />
    </OnceDialog>
  );
}
